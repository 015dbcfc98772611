// One picture of a lesson, and below it the guess: a line to drag on.
const css = name => `var(--${name === "true" ? "ink" : name})`
const inText = name => ({ reconstructed: "var(--reconstructed-text)", sampling: "var(--sampling-text)", private: "var(--private-text)" })[name] || "var(--ink)"
const says = (scale, value) => `${scale.prefix || ""}${+value.toFixed(10)}${scale.suffix || ""}`

function write(x, y, words, f, { anchor = "middle", fill = "var(--ink)", weight } = {}) {
  return s("text", { x, y, "text-anchor": anchor, "font-size": f, "font-weight": weight, style: `fill:${fill}` }, words)
}

// Words in as many lines as fit below each other.
function wrapped(words, width, f) {
  const most = Math.max(4, Math.floor(width / (f * 0.5))), lines = [""]
  for (const word of words.split(" ")) {
    const last = lines[lines.length - 1]
    if (last && last.length + word.length >= most) lines.push(word)
    else lines[lines.length - 1] = last ? `${last} ${word}` : word
  }
  return lines
}

function labeled(x, y, words, width, f, options) {
  return wrapped(words, width, f).map((line, i) => write(x, y + i * f * 1.2, line, f, options))
}

// Round ticks from least to most, about `count` of them.
function ticksOf(least, most, count) {
  const rough = (most - least) / count, power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough)
  const found = []
  for (let v = Math.ceil(least / step - 1e-9) * step; v <= most + step * 1e-9; v += step) found.push(+v.toFixed(10))
  return { ticks: found, step }
}

function levels(box, ticks, f, scale) {
  return ticks.flatMap(v => [
    s("line", { x1: box.left, x2: box.right, y1: box.y(v), y2: box.y(v), class: v === 0 ? "zero" : "grid" }),
    write(box.left - 8, box.y(v) + f * 0.34, says(scale, v), f, { anchor: "end", fill: "var(--muted)" }),
  ])
}

const PICTURES = {
  people({ colors, columns }, W, H) {
    const across = W < 480 ? 10 : columns, rows = Math.ceil(colors.length / across)
    const size = Math.min(W / across / 34, H / rows / 36)
    return colors.map((color, i) => {
      const x = W / across * (i % across + 0.5), y = H / rows * (Math.floor(i / across) + 0.5)
      return s("g", { transform: `translate(${x},${y}) scale(${size})`, style: `fill:${css(color)}` },
        s("circle", { cy: -8, r: 6.5 }), s("path", { d: "M-10 13c0-13 20-13 20 0z" }))
    })
  },

  grids({ grids }, W, H, f) {
    const wide = W / grids.length
    return grids.flatMap((grid, g) => {
      const rows = Math.ceil(grid.count / grid.columns)
      const cell = Math.min((wide - f * 2) / grid.columns, (H - f * 2.2) / rows, f * 5)
      const left = wide * (g + 0.5) - cell * grid.columns / 2, top = (H - f * 2 - cell * rows) / 2
      const boxes = Array.from({ length: grid.count }, (_, i) => s("rect", {
        x: left + cell * (i % grid.columns) + cell * 0.06, y: top + cell * Math.floor(i / grid.columns) + cell * 0.06,
        width: cell * 0.88, height: cell * 0.88, rx: cell * 0.12,
        style: `fill:${css(i === grid.marked ? "reconstructed" : "pale")}`,
      }))
      return [...boxes, write(wide * (g + 0.5), top + cell * rows + f * 1.5, grid.label, f)]
    })
  },

  groups({ groups }, W, H, f) {
    const wide = W / groups.length, words = Math.max(...groups.map(g => wrapped(g.label, wide - f, f).length))
    const high = H - f * 1.25 * (words + 0.6)
    return groups.flatMap((group, g) => {
      const n = group.colors.length
      const across = Math.max(1, Math.round(Math.sqrt(n * Math.min(1.6, (wide - f) / high))))
      const step = Math.min((wide - f) / across, high / Math.ceil(n / across))
      const left = wide * (g + 0.5) - step * across / 2, top = (high - step * Math.ceil(n / across)) / 2
      const dots = group.colors.map((color, i) => s("circle", {
        cx: left + step * (i % across + 0.5), cy: top + step * (Math.floor(i / across) + 0.5), r: step * 0.38,
        style: `fill:${css(color)}`,
      }))
      return [...dots, ...labeled(wide * (g + 0.5), high + f * 1.4, group.label, wide - f, f)]
    })
  },

  overlaps({ left, shared, right }, W, H, f) {
    const wide = Math.min(W * 0.56, H * 1.3), x = W / 2 - wide * 0.78, high = H * 0.66, lift = H * 0.1
    const view = (at, y, color) => s("rect", {
      x: at, y, width: wide, height: high, rx: f,
      style: `fill:${css(color)};fill-opacity:.2;stroke:${css(color)};stroke-width:3`,
    })
    return [view(x, lift, "reconstructed"), view(x + wide * 0.56, H - lift - high, "private"),
      write(x + wide * 0.28, lift + high * 0.5, left, f), write(W / 2, H / 2 + f * 0.3, shared, f, { weight: 700 }),
      write(x + wide * 1.28, H - lift - high * 0.5, right, f)]
  },

  // One bar a label, or with `groups` as many beside each other under every name.
  bars({ bars, suffix, axis, most, least, parts, groups }, W, H, f) {
    const all = bars.flatMap(bar => [bar.value, bar.true ?? bar.value])
    const high = most ?? Math.max(...all) * 1.02, low = least ?? Math.min(0, ...all) * 1.02
    const { step } = ticksOf(low, high, H < 200 ? 3 : 4)
    const bottom = Math.min(low, least ?? Math.floor(low / step) * step)
    const top = Math.max(most ?? Math.ceil(high / step) * step, bottom + step)
    const shown = ticksOf(bottom, top, H < 200 ? 3 : 4).ticks
    const wide = Math.max(...shown.map(v => says({ suffix }, v).length)) * f * 0.52 + 12
    const labels = groups ?? bars.map(bar => bar.label), each = bars.length / labels.length
    const slot = (W - wide) / labels.length, longest = Math.max(...labels.map(label => label.length))
    const word = Math.max(...labels.flatMap(label => label.split(" ")).map(part => part.length))
    const few = labels.length <= 8, named = few && (!groups || word * f * 0.56 < slot) || longest * f * 0.56 < slot
    const lines = named ? few ? Math.max(...labels.map(label => wrapped(label, slot - 6, f).length)) : 1 : 0
    const foot = f * (0.6 + lines * 1.2 + (axis ? 1.4 : 0)), head = bars.some(bar => bar.text) ? f * 1.6 : f * 0.6
    const box = { left: wide, right: W, y: v => head + (H - head - foot) * (1 - (v - bottom) / (top - bottom)) }
    const shapes = levels(box, shown, f, { suffix })
    const part = groups ? Math.min(slot * 0.84 / each, 90) : slot
    const w = groups ? part * 0.8 : few ? Math.min(slot * 0.6, 120) : slot * 0.8
    bars.forEach((bar, i) => {
      const middle = wide + slot * (Math.floor(i / each) + 0.5), x = middle + part * (i % each - (each - 1) / 2)
      const y = box.y(Math.max(0, bar.value)), height = Math.abs(box.y(0) - box.y(bar.value))
      const cap = Math.min(height, f * 0.25), capAt = bar.value < 0 ? y + height - cap : y
      let below = 0
      if (parts) shapes.push(...parts[i].map(([share, color]) => s("rect", {
        x: x - w / 2, y: box.y(below += share), width: w, height: box.y(0) - box.y(share), style: `fill:${css(color)}` })))
      else shapes.push(s("rect", { x: x - w / 2, y, width: w, height, style: `fill:${css(bar.color)};fill-opacity:.3` }),
        s("rect", { x: x - w / 2, y: capAt, width: w, height: cap, style: `fill:${css(bar.color)}` }))
      if (bar.true !== null) shapes.push(s("line", {
        x1: x - w * 0.62, x2: x + w * 0.62, y1: box.y(bar.true), y2: box.y(bar.true), class: "true",
        "stroke-width": few ? f * 0.25 : Math.max(2, f * 0.15),
      }))
      if (bar.text) {
        const over = bar.true !== null && Math.abs(box.y(bar.true) - y) < f * 1.5
        const at = Math.min(y, over ? box.y(bar.true) : y) - f * 0.5
        shapes.push(write(x, Math.max(f, at), bar.text, f, { weight: 650, fill: inText(bar.color) }))
      }
      if (named && i % each === 0) shapes.push(...labeled(middle, H - foot + f * 1.3, labels[Math.floor(i / each)], slot - 6, f))
    })
    if (axis) shapes.push(write(wide + (W - wide) / 2, H - f * 0.35, axis, f, { fill: "var(--muted)" }))
    return shapes
  },

  curves({ lines, marks, x, y }, W, H, f) {
    const scale = y.ticks ? y : { ...y, ...ticksOf(y.least, y.most, 4) }
    const wide = scale.ticks.length ? Math.max(...scale.ticks.map(v => says(y, v).length)) * f * 0.52 + 12 : f
    const X = v => wide + (W - wide - f) * (v - x.least) / (x.most - x.least)
    const foot = x.ticks.length ? f * 3 : f * 1.8, head = f * 1.6
    const box = { left: wide, right: W - f, y: v => head + (H - head - foot) * (1 - (v - y.least) / (y.most - y.least)) }
    const shapes = levels(box, scale.ticks, f, y)
    shapes.push(...x.ticks.map(v => write(X(v), H - foot + f * 1.3, says(x, v), f, {
      fill: "var(--muted)", anchor: v === x.most ? "end" : "middle" })),
      write(wide, f, y.title, f, { anchor: "start", fill: "var(--muted)" }),
      write(W - f, H - f * 0.3, x.title, f, { anchor: "end", fill: "var(--muted)" }))
    for (const line of lines) shapes.push(s("polyline", {
      points: line.points.map(([a, b]) => `${X(a)},${box.y(b)}`).join(" "), class: "curve",
      style: `stroke:${css(line.color)}`, "stroke-dasharray": line.dash ? "2 7" : null,
    }))
    // The upper mark's words stand above it, the lower one's below; inside, and apart.
    const [upper, lower] = [...marks].sort((a, b) => b[1] - a[1])
    for (const mark of [upper, lower].filter(Boolean)) {
      const [a, b, text] = mark, right = X(a) < W * 0.7
      const at = mark === upper ? Math.min(box.y(b), lower ? box.y(lower[1]) - f : H) - f * 0.6 : Math.min(box.y(b) + f * 1.3, H - foot - f * 0.3)
      shapes.push(s("circle", { cx: X(a), cy: box.y(b), r: f * 0.45, class: "mark" }),
        s("g", { class: "halo" }, write(X(a) + f * (right ? 0.8 : -0.8), at, text, f, { anchor: right ? "start" : "end", weight: 650 })))
    }
    return shapes
  },

  shares({ rows, true: truth, suffix }, W, H, f) {
    const all = rows.map(row => row.value).concat(truth ?? [])
    const { ticks, step } = ticksOf(Math.min(...all) - 0.5, Math.max(...all) + 0.5, 4)
    const low = Math.min(ticks[0], Math.floor(Math.min(...all) / step) * step)
    const high = Math.max(ticks[ticks.length - 1], Math.ceil(Math.max(...all) / step) * step)
    const left = f * 4.2, right = W - f * 4, foot = f * 1.8, slot = (H - foot) / rows.length
    const X = v => left + (right - left) * (v - low) / (high - low)
    const shapes = ticksOf(low, high, 4).ticks.flatMap(v => [
      s("line", { x1: X(v), x2: X(v), y1: 0, y2: H - foot, class: "grid" }),
      write(X(v), H - f * 0.4, says({ suffix }, v), f, { fill: "var(--muted)" }),
    ])
    if (truth !== null) shapes.push(s("line", { x1: X(truth), x2: X(truth), y1: 0, y2: H - foot, class: "true", "stroke-width": f * 0.25 }))
    rows.forEach((row, i) => {
      const y = slot * (i + 0.5)
      shapes.push(write(0, y + f * 0.34, row.label, f, { anchor: "start", fill: inText(row.color), weight: row.color === "reconstructed" ? 700 : 400 }),
        s("circle", { cx: X(row.value), cy: y, r: Math.max(2, Math.min(slot * 0.34, f * 0.55)), style: `fill:${css(row.color)}` }),
        write(W, y + f * 0.34, row.text, f, { anchor: "end" }))
    })
    return shapes
  },

  pulls({ rows }, W, H, f) {
    const all = rows.flatMap(row => [row.true, row.seen, row.pulled])
    const { ticks } = ticksOf(Math.min(...all), Math.max(...all), 4)
    const low = Math.min(...all), high = Math.max(...all), wide = f * 3
    const box = { left: wide, right: W, y: v => f + (H - 2 * f) * (1 - (v - low) / (high - low)) }
    const shapes = levels(box, ticks, f, {}), slot = (W - wide) / rows.length, r = Math.min(slot * 0.3, f * 0.45)
    rows.forEach((row, i) => {
      const x = wide + slot * (i + 0.5)
      shapes.push(
        s("line", { x1: x - slot * 0.42, x2: x + slot * 0.42, y1: box.y(row.true), y2: box.y(row.true), class: "true", "stroke-width": f * 0.2 }),
        s("line", { x1: x, x2: x, y1: box.y(row.seen), y2: box.y(row.pulled), class: "pull" }),
        s("circle", { cx: x, cy: box.y(row.seen), r, class: "seen" }),
        s("circle", { cx: x, cy: box.y(row.pulled), r, style: "fill:var(--reconstructed)" }))
    })
    return shapes
  },
}

// Rows of the table that says the same as the picture; none where icons say it in words already.
const TABLES = {
  bars: ({ bars }) => bars.map((bar, i) => [bar.label || String(i + 1), bar.true, bar.value]),
  shares: ({ rows, true: truth }) => rows.map(row => [row.label, truth, row.value]),
  pulls: ({ rows }) => rows.map((row, i) => [String(i + 1), row.true, row.seen, row.pulled]),
}

function asTable(picture, words) {
  const rows = TABLES[picture.kind]?.(picture.data)
  if (!rows || !words.table || picture.data.blank) return ""
  const held = rows[0].map((_, i) => rows.some(row => row[i] !== null && row[i] !== undefined))
  const names = picture.kind === "pulls" ? [words.pair, ...picture.legend.map(([, text]) => text)] : words.columns
  const cells = (row, kind) => row.filter((_, i) => held[i]).map(value =>
    h(kind, {}, typeof value === "number" ? String(+value.toPrecision(3)) : value ?? ""))
  return h("details", {}, h("summary", {}, words.table), h("div", { class: "rows" }, h("table", {},
    h("tr", {}, ...cells(names, "th")), ...rows.map(row => h("tr", {}, ...cells(row, "td"))))))
}

function track(W, f, scale) {
  const from = 20, to = W - 20, y = f * 2.9
  const X = v => from + (to - from) * (v - scale.least) / (scale.most - scale.least)
  const ticks = W < 480 ? scale.ticks.filter((_, i) => i % 2 === 0) : scale.ticks
  return { X, y, shapes: [
    s("line", { x1: from, x2: to, y1: y, y2: y, class: "track", "stroke-width": f * 0.5 }),
    ...ticks.map((v, i) => write(X(v), y + f * 2.1, says(scale, v), f, {
      anchor: i === 0 ? "start" : i === ticks.length - 1 ? "end" : "middle", fill: "var(--muted)" })),
  ] }
}

// Both marks on the line; their words never meet.
function compared(W, f, scale, guess, truth, words) {
  const { X, y, shapes } = track(W, f, scale), big = f * 1.1, at = X(truth)
  const said = `${words.answer}: ${says(scale, truth)}`
  const widthOf = text => text.length * big * 0.53
  const place = (x, text) => Math.min(Math.max(x, widthOf(text) / 2), W - widthOf(text) / 2)
  let here = place(at, said)
  if (guess !== null) {
    const you = `${words.you}: ${says(scale, guess)}`, mine = X(guess), gap = (widthOf(you) + widthOf(said)) / 2 + big
    let there = place(mine, you)
    if (Math.abs(here - there) < gap) {
      const side = truth >= guess ? 1 : -1
      here = place(there + side * gap, said)
      there = place(here - side * gap, you)
    }
    shapes.push(s("line", { x1: mine, x2: at, y1: y, y2: y, class: "apart", "stroke-width": f * 0.5 }),
      s("circle", { cx: mine, cy: y, r: f * 0.8, class: "yours" }),
      write(there, y - f * 1.7, you, big, { weight: 650 }))
  }
  shapes.push(s("line", { x1: at, x2: at, y1: y - f * 1.1, y2: y + f * 1.1, class: "answer", "stroke-width": f * 0.35 }),
    write(here, y - f * 1.7, said, big, { weight: 650, fill: "var(--reconstructed-text)" }))
  return shapes
}

function drawScale(box, state, f) {
  const { guess: scale, value, truth, words } = state.data, W = box.clientWidth, high = f * 5.6
  const picture = s("svg", { width: W, height: high, role: truth === null ? null : "img",
    "aria-hidden": truth === null, "aria-label": words.says })
  if (truth !== null) {
    picture.append(...compared(W, f, scale, value, truth, words))
    return box.replaceChildren(picture)
  }
  const { X, y, shapes } = track(W, f, scale), field = state.field
  const now = () => +field.value
  const label = write(0, y - f * 1.7, "", f * 1.1, { weight: 650 })
  const show = () => {
    const text = state.touched ? `${words.you}: ${says(scale, now())}` : words.drag
    label.textContent = text
    const half = text.length * f * 0.29
    label.setAttribute("x", Math.min(Math.max(X(now()), half), W - half))
    field.setAttribute("aria-valuetext", says(scale, now()))
  }
  Object.assign(field, { min: scale.least, max: scale.most, step: scale.step })
  if (!state.dragging) field.value = value ?? (scale.least + scale.most) / 2
  state.touched = state.touched || value !== null
  field.style.top = `${y - 22}px`
  field.setAttribute("aria-label", words.label)
  const tell = () => {
    state.dragging = false
    if (now() === state.data.value && (state.sent ?? now()) === now()) return
    state.touched = true
    state.send(now())
    show()
  }
  field.oninput = () => { state.touched = state.dragging = true; show() }
  field.onchange = tell
  field.onpointerup = tell
  field.onkeyup = event => { if (event.key === "Enter" || event.key === " ") tell() }
  picture.append(...shapes, label)
  show()
  if (field.parentNode === box) box.firstChild.replaceWith(picture)
  else box.replaceChildren(picture, field)
}

function keep(state) {
  const { lesson, value } = state.data
  // The tab's: on a computer of a class the next visitor has a guess to make.
  const kept = remembered(TAB)[lesson]?.guess
  if (value !== null) remember(TAB, lesson, { guess: value })
  else if (state.data.begins) remember(TAB, lesson, { guess: undefined })
  // After a reload the guess is this tab's to tell.
  else if (state.data.wanted && kept !== undefined && !state.restored) {
    state.restored = true
    state.send(kept)
  }
}

// Drawn from the data of the moment: a frame asked for before the data changed must not mix both.
function draw(root, state) {
  const { data } = state, { picture, words } = data
  const f = data.lecture ? Math.max(22, Math.round(innerHeight / 30)) : 16
  root.style.setProperty("--text", `${f}px`)
  if (data.lecture) state.card.style.height = `${Math.max(300, innerHeight - state.card.getBoundingClientRect().top - 108)}px`
  else state.card.style.height = ""
  if (data.guess) {
    state.title.textContent = data.lecture ? "" : words.label
    drawScale(state.box, state, f)
  }
  const W = state.stage.clientWidth, H = state.stage.clientHeight
  if (W < 40 || H < 40) return
  state.stage.replaceChildren(s("svg", { width: W, height: H, role: "img", "aria-label": picture.alt },
    ...PICTURES[picture.kind](picture.data, W, H, f)))
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({
    head: h("div", { class: "head" }), stage: h("div", { class: "stage" }), below: h("div", { class: "guess" }),
    foot: h("div", { class: "foot" }), card: h("div", { class: "card" }), field: h("input", { type: "range" }),
    title: h("div", { class: "label" }), box: h("div", { class: "box" }),
  }))
  if (state.of !== data.lesson + data.open) Object.assign(state, { touched: false, restored: false, sent: null, of: data.lesson + data.open })
  state.data = data
  state.send = value => { state.sent = value; tellPython(parentElement, setStateValue, "guess", value) }
  if (!state.card.parentNode) {
    state.below.append(state.title, state.box)
    state.card.append(state.head, state.stage, state.below)
    root.append(state.card, state.foot)
  }
  const { picture, words } = data
  root.className = `root${data.lecture ? " lecture" : ""}${data.guess ? "" : " tall"}`
  state.head.replaceChildren(h(picture.title ? "h2" : "span", {}, picture.title), h("div", { class: "legend" },
    ...picture.legend.map(([color, text]) => h("span", {}, color === "muted" ? "" : h("i", { class: color === "true" ? "line" : "", style: `background:${css(color)}` }), text))))
  state.head.hidden = !picture.title && !picture.legend.length
  state.below.hidden = !data.guess
  state.foot.replaceChildren(data.lecture ? "" : asTable(picture, words), data.lecture ? "" : h("span", { class: "keys" }, words.keys))
  state.draw ||= eachFrame(() => draw(root, state))
  if (!state.watch) {
    state.watch = new ResizeObserver(() => state.draw())
    state.watch.observe(state.card)
    watchStage(state.watch)
    state.resized = () => state.draw()
    addEventListener("resize", state.resized)
  }
  state.draw()
  keep(state)
  return () => {
    state.watch?.disconnect()
    state.watch = null
    removeEventListener("resize", state.resized)
  }
}
