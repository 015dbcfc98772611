// Lying bars for narrow screens: one row of 50 px for each cell, its name above, its numbers at the right.
const ROW = 50

function drawRows(svg, data, box) {
  const type = { size: box.size, family: box.family }, f = type.size
  const cells = data.cells.map((_, i) => `${wholePercent(data.true?.[i] ?? 0)} · ${wholePercent(Math.max(data.reconstructed?.[i] ?? 0, data.true?.[i] ?? 0, .88))}`)
  const right = box.width - Math.max(...cells.map(text => widthOf(text, type, 680))) - f * .6
  const top = headHeight(data, f), X = value => 2 + (right - 2) * (value - Math.min(0, data.axis.bottom)) / (data.axis.top - Math.min(0, data.axis.bottom))
  const head = [data.true && data.texts.true, data.reconstructed && data.texts.reconstructed].filter(Boolean).join(" · ")
  drawLegend(svg, data, 2, type, { ghosts: data.ghosts && data.style === "pale", room: box.width - (crowded(data) ? 0 : widthOf(head, type)) })
  svg.append(written(head, box.width, top - f * 1.1, type, { anchor: "end", mark: "muted" }))
  const rows = data.cells.map((cell, i) => {
    const y = top + ROW * i + f * 1.05
    svg.append(written(shortened(cell, box.width - 4, type), 2, y, type, { anchor: "start", mark: "muted", full: cell }))
    return drawRow(svg, data, { cell, y: y + f * .5, height: ROW - f * 1.9, f, box })
  })
  data.more.forEach((line, i) => svg.append(written(
    line, 2, top + ROW * data.cells.length + f * (1.2 + 1.4 * i), type, { anchor: "start", weight: i ? 400 : 650, mark: i ? "muted more" : "more" },
  )))
  return now => rows.forEach((row, i) => moveRow(row, now, i, X, data.axis))
}

// A legend of several keys leaves no room for what stands above the numbers: that has its own line.
const crowded = data => !!(data.true && data.reconstructed || data.ghosts && data.style === "pale" || data.low.length || data.guess.length)
const headHeight = (data, size) => size * (crowded(data) ? 3.6 : 2)
const rowsHeight = (data, size) => headHeight(data, size) + ROW * data.cells.length + (data.more.length ? size * (1.4 * data.more.length + .6) : 0) + 8

function drawRow(svg, data, { cell, y, height, f, box }) {
  const pale = data.style === "pale", row = { cell, y, height, f, middle: y + height / 2 }
  row.title = s("title", {}, cell)
  const marks = s("g", { class: "column" }, row.title)
  svg.append(marks)
  if (data.reconstructed) {
    row.bar = s("rect", { y, height, rx: 2, class: pale ? "pale" : "bar" })
    marks.append(row.bar)
    if (pale) marks.append(row.cap = s("rect", { y, height, width: f * .28, class: "cap" }))
  }
  if (data.ghosts) Object.assign(row, { radius: 3.4, ghosts: ghostDots(marks, data.ghosts.length, 3.4) })
  if (data.true) {
    const at = { y1: y - 4, y2: y + height + 4 }
    marks.append(row.gap = s("line", { ...at, class: "gap" }), row.line = s("line", { ...at, class: "true", "stroke-width": 4 }))
  }
  if (data.low.length) marks.append(row.whisker = s("path", { class: "whisker", "stroke-width": 2 }))
  if (data.guess.length) marks.append(row.guess = s("circle", { cy: row.middle, r: 6, class: "guess" }))
  row.truth = s("tspan", {}), row.reconstructed = s("tspan", { class: "reconstructed", "font-weight": 680 })
  const both = data.true && data.reconstructed
  marks.append(s("text", { x: box.width, y: row.middle + f * .34, "font-size": f, "text-anchor": "end", class: "value" }, row.truth, both ? " · " : "", row.reconstructed))
  return row
}

function moveRow(row, now, i, X, axis) {
  const reconstructed = now.reconstructed?.[i], truth = now.true?.[i]
  if (row.bar) {
    const from = X(Math.max(Math.min(reconstructed, 0), axis.bottom)), tip = X(Math.min(Math.max(reconstructed, 0), axis.top))
    const { end: to, rim } = row.gap && !row.cap ? beside(X(truth), tip, 2, row.f) : { end: tip }
    if (row.gap) moveRim(row.gap, rim, "x")
    place(row.bar, { x: from, width: Math.max(0, to - from) })
    if (row.cap) place(row.cap, { x: X(Math.min(reconstructed, axis.top)) - row.f * .14 })
    row.bar.classList.toggle("faded", !!now.faded)
    row.reconstructed.textContent = wholePercent(reconstructed)
  }
  if (row.line) {
    place(row.line, { x1: X(truth), x2: X(truth) })
    row.truth.textContent = wholePercent(truth)
  }
  if (row.guess) place(row.guess, { cx: X(Math.min(now.guess[i], axis.top)) })
  if (row.whisker) {
    const [low, high] = [now.low[i], now.high[i]].map(value => X(Math.min(Math.max(value, axis.bottom), axis.top)))
    place(row.whisker, { visibility: now.low.length ? "visible" : "hidden" })
    if (now.low.length) place(row.whisker, { d: `M${low} ${row.middle}H${high}M${low} ${row.middle - 4}v8M${high} ${row.middle - 4}v8` })
  }
  moveGhosts(row, now, i, axis, X, row.height / 2 + 3, (along, across) => ({ cx: along, cy: row.middle + across }))
  describeCell(row, now, truth, reconstructed)
}
