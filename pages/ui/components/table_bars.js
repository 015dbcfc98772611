// Upright bars, one for each cell: names or a matrix of values below, numbers below these.

// Above the bars, and what they have at least, in letters.
const ABOVE = 2.4, BARS = 3.4

// Gives a function that moves the marks to what is shown now, without drawing anything anew.
function drawBars(svg, data, box) {
  const type = { size: box.size, family: box.family }, f = type.size
  const plan = planBars(data, box, type)
  const { left, right, column, base } = plan
  const { axis } = data
  const Y = share => plan.top + (base - plan.top) * (axis.top - share) / (axis.top - Math.min(0, axis.bottom))
  const legend = drawLegend(svg, data, left, type, { ghosts: data.ghosts && data.style === "pale", matrix: plan.matrix && data.levels.flat().some(v => typeof v === "boolean"), room: box.room ?? box.width, said: box.said })
  drawAxis(svg, axis, Y, left, right + plan.more, type, { most: Math.max(2, (base - plan.top) / (2.2 * f)) })
  const bars = data.cells.map((cell, i) => drawColumn(svg, data, plan, cell, left + column * (i + .5), box))
  if (plan.matrix) drawMatrix(svg, data, plan, type)
  else drawNames(svg, data, plan, type)
  const numbers = plan.numbers ? drawNumbers(svg, data, plan, box) : null
  drawMore(svg, data, plan, type)
  return now => {
    bars.forEach((bar, i) => moveColumn(bar, now, i, Y, axis))
    if (numbers) numbers(now)
    if (legend) legend.shown.textContent = now.legend ?? (legend.usual ??= legend.shown.textContent)
  }
}

// Rows in so much room: upright texts give way first, then all do.
function fitted(rows, row, room) {
  const over = Math.max(0, rows.reduce((a, b) => a + b, 0) - room), tall = rows.filter(high => high > row)
  const given = tall.length ? Math.min(over / tall.length, tall[0] - row) : 0
  const rest = Math.min((over - given * tall.length) / rows.length, row * .25)
  return rows.map(high => high - (high > row ? given : 0) - rest)
}

// Where everything goes.
function planBars(data, box, type) {
  const f = type.size, count = data.cells.length
  const labels = data.labels.length ? data.labels : data.cells
  const moreWidth = data.more.length ? Math.max(...data.more.map(line => widthOf(line, type, 650))) + f : 0
  const numbers = data.numbers && !!data.reconstructed
  let left = Math.max(widthOf(wholePercent(data.axis.top), type) + f, numbers ? widthOf(data.texts.reconstructed, type) + f : 0)
  let right = box.width - moreWidth - 2, column = (right - left) / count
  let lines = labels.map(label => inLines(label, column - 4, type))
  const matrix = data.levels.length > 0 && (data.more.length > 0 || lines.some(line => line === null))
  if (matrix) {
    // Few cells leave names more of the width than many.
    const longest = box.wraps ? Math.max(...data.attributes.flatMap(name => name.split(" ")).map(word => widthOf(word, type))) + f * .8 : 0
    const share = Math.max(box.width * .28, Math.min(box.width * .4, Math.max(longest, right - count * f * 2.6)))
    left = Math.max(left, Math.min(share, Math.max(...data.attributes.map(name => widthOf(name, type))) + f * .8))
    column = (right - left) / count
  } else lines = lines.map((line, i) => line ?? [shortened(labels[i], column - 4, type)])
  const small = { ...type, size: Math.max(box.least ?? 14, Math.round(f * .88)) }
  const turned = matrix && data.levels.flat().some(v => typeof v === "string" && (v.length > 4 || widthOf(v, small) > column - 2))
  const row = matrix ? Math.max(f * 1.5, 20) : 0
  const names = matrix ? data.attributes.map(name => box.wraps && inLines(name, left - f * .8, type) || [shortened(name, left - f * .8, type)]) : []
  const upright = names.map((_, a) => turned && data.levels.some(l => typeof l[a] === "string" && (l[a].length > 4 || widthOf(l[a], small) > column - 2)))
  const wanted = names.map((lines, a) => upright[a] ? f * 3.6 : lines.length > 1 ? f * 2.4 : row)
  const told = numbers ? f * 2.85 : f * .2
  const rows = fitted(wanted, row, box.height - f * (ABOVE + BARS + .6) - told)
  const named = matrix ? rows.reduce((a, b) => a + b, 0) + f * .6 : Math.max(...lines.map(line => line.length)) * f * 1.25 + f * .25
  const grouped = data.groups.length && !matrix ? f * 1.5 : 0
  const under = data.axis.bottom < 0 ? 0 : 1
  return { left, right, column, lines, labels, matrix, names, upright, rows, more: moreWidth, numbers, small, grouped, named, top: f * ABOVE, base: Math.max(f * 4, box.height - named - grouped - told), under, height: box.height }
}

function drawColumn(svg, data, plan, cell, x, box) {
  const f = box.size, pale = data.style === "pale", width = plan.column * (pale ? .52 : .62)
  const reach = plan.column * (pale ? .345 : .44)
  const made = { x, width, reach, pale, f, ghosts: null, room: plan.column / 2 - f * .3 }
  const marks = s("g", { class: "column" }, s("title", {}, cell))
  made.title = marks.firstChild
  made.cell = cell
  if (data.reconstructed) {
    made.bar = s("rect", { x: x - width / 2, width, rx: pale ? 0 : 2, class: pale ? "pale" : "bar" })
    marks.append(made.bar)
    if (pale) marks.append(made.cap = s("rect", { x: x - width / 2, width, height: f * .28, rx: 1, class: "cap" }))
  }
  svg.append(marks)
  const whisker = () => { if (data.low.length) marks.append(made.whisker = s("path", { class: "whisker", "stroke-width": 2 })) }
  const lines = () => {
    if (!data.true) return
    const at = { x1: x - reach, x2: x + reach }
    if (!pale) marks.append(made.gap = s("line", { ...at, class: "gap" }))
    marks.append(made.line = s("line", { ...at, class: "true", "stroke-width": f * (pale ? .2 : .24) }))
  }
  if (pale) { made.radius = Math.min(f * .263, plan.column * .05); ghostsOf(made, data, marks); lines() }
  else { lines(); whisker(); made.radius = Math.min(f * .22, plan.column * .07); ghostsOf(made, data, marks) }
  if (data.guess.length) marks.append(made.guess = s("circle", { cx: x, r: f * .45, class: "guess" }))
  return made
}

function ghostsOf(made, data, parent) {
  if (data.ghosts) made.ghosts = ghostDots(parent, data.ghosts.length, made.radius)
}

function moveColumn(bar, now, i, Y, axis) {
  const reconstructed = now.reconstructed?.[i], truth = now.true?.[i]
  if (bar.bar) {
    const top = Y(Math.min(Math.max(reconstructed, 0), axis.top))
    // Upwards the share grows and the pixels of the screen fall.
    const { end, rim } = bar.gap ? beside(-Y(truth), -top, bar.f * .12, bar.f) : { end: -top }
    if (bar.gap) moveRim(bar.gap, rim, "y")
    const y = -end, foot = Y(Math.max(Math.min(reconstructed, 0), axis.bottom))
    place(bar.bar, { y, height: Math.max(0, foot - y) })
    if (bar.cap) place(bar.cap, { y: Y(Math.min(reconstructed, axis.top)) - bar.f * .14 })
    bar.bar.classList.toggle("faded", !!now.faded)
    bar.cap?.classList.toggle("faded", !!now.faded)
  }
  if (bar.line) place(bar.line, { y1: Y(truth), y2: Y(truth) })
  if (bar.guess) place(bar.guess, { cy: Y(Math.min(now.guess[i], axis.top)) })
  if (bar.whisker) {
    const [low, high] = [now.low[i], now.high[i]].map(value => Y(Math.min(Math.max(value, axis.bottom), axis.top))), cap = bar.width * .12
    place(bar.whisker, { visibility: now.low.length ? "visible" : "hidden" })
    if (now.low.length) place(bar.whisker, { d: `M${bar.x} ${low}V${high}M${bar.x - cap} ${low}h${2 * cap}M${bar.x - cap} ${high}h${2 * cap}` })
  }
  moveGhosts(bar, now, i, axis, Y, bar.room, (along, across) => ({ cx: bar.x + across, cy: along }))
  describeCell(bar, now, truth, reconstructed)
}

function drawNames(svg, data, plan, type) {
  const f = type.size
  plan.lines.forEach((lines, i) => lines.forEach((line, j) => svg.append(
    written(line, plan.left + plan.column * (i + .5), plan.base + f * (1.15 + 1.25 * j), type, { mark: j ? "muted" : "", full: plan.labels[i] }),
  )))
  let at = 0
  for (const [name, count] of plan.grouped ? data.groups : []) {
    const x1 = plan.left + plan.column * at + f * .5, x2 = plan.left + plan.column * (at + count) - f * .5
    const y = plan.base + plan.named + f * .1
    svg.append(s("line", { x1, x2, y1: y, y2: y, class: "zero" }))
    svg.append(written(shortened(name, x2 - x1, type, 650), (x1 + x2) / 2, y + f * 1.1, type, { mark: "muted", weight: 650, full: name }))
    at += count
  }
}

// Which values a cell has: a dot for yes, a small one for no, the name of any other value.
function drawMatrix(svg, data, plan, type) {
  const f = type.size
  let y = plan.base + f * .5
  const middles = plan.rows.map(row => { const at = y + row / 2; y += row; return at })
  data.attributes.forEach((name, a) => {
    if (a % 2 === 0) svg.append(s("rect", { x: 0, width: plan.right, y: middles[a] - plan.rows[a] / 2, height: plan.rows[a], class: "stripe" }))
    const lines = plan.names[a], first = middles[a] + f * (.34 - .55 * (lines.length - 1))
    lines.forEach((line, j) => svg.append(written(line, plan.left - f * .7, first + f * 1.1 * j, type, { anchor: "end", full: name })))
  })
  data.levels.forEach((levels, i) => {
    const x = plan.left + plan.column * (i + .5)
    // From yes to yes, and through no text.
    let from = null
    levels.forEach((level, a) => {
      if (level === true && from !== null) svg.append(s("line", { x1: x, x2: x, y1: from, y2: middles[a], class: "chain" }))
      if (level !== false) from = level === true ? middles[a] : null
    })
    levels.forEach((level, a) => {
      if (typeof level === "boolean") {
        svg.append(s("circle", { cx: x, cy: middles[a], r: Math.min(f * .38, plan.column * .3) * (level ? 1 : .5), class: level ? "yes" : "no" }))
        return
      }
      const tall = plan.upright[a] && plan.rows[a] > f * 2, room = tall ? plan.rows[a] - 4 : plan.column - 2
      const text = shortened(level, room, plan.small)
      svg.append(written(text, tall ? x + plan.small.size * .34 : x, tall ? middles[a] : middles[a] + f * .34, plan.small, { turned: tall, full: level }))
    })
  })
}

// Rows of numbers, true above reconstructed; the cell that is furthest off is tinted.
function drawNumbers(svg, data, plan, box) {
  const f = box.size, matrix = plan.matrix
  const type = matrix ? { ...plan.small, family: box.family } : { size: f, family: box.family }
  const first = plan.base + plan.named + plan.grouped + f * .95, second = first + f * 1.35
  const value = matrix ? share => share > 0 && share < .0005 ? "<0.1" : (100 * share).toFixed(1) : wholePercent
  const tint = s("rect", { y: first - f * 1.05, height: f * 2.75, rx: f * .3, width: plan.column * .72, class: "worst" })
  svg.append(tint)
  const end = plan.left - f * .5
  if (data.true) svg.append(written(data.texts.true + (matrix ? " %" : ""), end, first, type, { anchor: "end", mark: "muted" }))
  const middle = i => plan.left + plan.column * (i + .5)
  const truths = (data.true ?? []).map((_, i) => written("", middle(i), first, type, { mark: "value" }))
  svg.append(...truths)
  svg.append(written(data.texts.reconstructed + (matrix ? " %" : ""), end, second, type, { anchor: "end", mark: "reconstructed" }))
  const answers = data.reconstructed.map((_, i) => written("", middle(i), second, type, { mark: "value reconstructed", weight: 680 }))
  svg.append(...answers)
  return now => {
    truths.forEach((text, i) => { text.textContent = value(now.true[i]) })
    answers.forEach((text, i) => {
      text.textContent = value(now.reconstructed[i])
      text.classList.toggle("off", i === now.worst)
      text.classList.toggle("faded", !!now.faded)
    })
    tint.setAttribute("visibility", now.worst === null || now.worst === undefined ? "hidden" : "visible")
    if (now.worst !== null && now.worst !== undefined) tint.setAttribute("x", middle(now.worst) - plan.column * .36)
  }
}

function drawMore(svg, data, plan, type) {
  data.more.forEach((line, i) => svg.append(written(
    line, plan.right + plan.more / 2, plan.base + type.size * (2.1 + 1.35 * i), type, { weight: i ? 400 : 650, mark: i ? "muted more" : "more" },
  )))
}
