// What each number of questions costs, as stacked bars, and the reading of the chosen one beside them. Python has
// sent both for every epsilon: dragging it anywhere on the page asks nobody. Mounted twice, as "chart" and "side".
const CAUSES = ["noise", "sampling", "rebuilding"]

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({}))
  if (JSON.stringify(state.data) !== JSON.stringify(data)) state.shown = data.index
  Object.assign(state, { data, root, use: l => tellPython(parentElement, setStateValue, "use", l) })
  if (!state.draw) listen(state)
  state.draw()
  return leaving(state, parentElement)
}

function listen(state) {
  const make = state.data.part === "side" ? side : chart
  state.draw = eachFrame(() => make(state))
  state.watch = new ResizeObserver(state.draw)
  state.watch.observe(state.root.parentElement ?? state.root)
  watchStage(state.watch)
  state.listeners = [
    ["resize", state.draw],
    ["calm-epsilon", ({ detail }) => { state.shown = detail.index; state.draw() }],
  ]
  for (const [name, heard] of state.listeners) window.addEventListener(name, heard)
}

// ---- The bars

function chart(state) {
  const { data, root } = state, now = data.epsilons[state.shown], size = letters(data)
  root.className = data.lecture ? "root chart lecture" : "root chart"
  root.style.setProperty("--size", `${size}px`)
  const focused = root.getRootNode().activeElement?.dataset?.l
  if (!now.bars.length) return root.replaceChildren(h("p", { class: "refused" }, now.refused ?? ""))
  const legend = h("div", { class: "legend", "aria-hidden": "true" }, h("span", {}, data.words.unit_of),
    ...CAUSES.map(cause => h("span", {}, h("i", { class: cause }), data.words[cause])),
    Object.keys(data.measured).length > 0 && state.shown === data.index && h("span", {}, h("i", { class: "diamond" }), data.words.measured))
  const plot = h("div", { class: "plot" })
  root.replaceChildren(legend, plot, h("div", { class: "axis-title", "aria-hidden": "true" }, data.words.axis))
  const width = plot.clientWidth
  if (!width) return
  const narrow = innerWidth <= 640, top = plot.getBoundingClientRect().top + pageScroll()
  const below = settingsBarHeight(state) + (data.lecture ? 50 : 118)
  const height = narrow ? 300 : Math.max(240, Math.min(innerHeight - top - below, data.lecture ? 2000 : 560))
  plot.append(bars(state, now, { width, height, size }))
  if (focused) root.querySelector(`[data-l="${focused}"]`)?.focus({ preventScroll: true })
  root.dataset.ready = "1"
}

const letters = data => data.lecture ? Math.max(22, Math.round(innerHeight / 30)) : 15
const total = bar => CAUSES.reduce((sum, cause) => sum + bar.parts[cause], 0)

// The scale holds the bars near the lowest one; a bar far above is torn, and its number says how high it is.
function scale(now) {
  const low = Math.min(...now.bars.map(total)), own = now.bars.find(bar => bar.l === now.chosen)
  const most = Math.max(2.4 * low, 1.25 * (own ? total(own) : low)), highest = Math.max(...now.bars.map(total))
  const end = Math.min(most, 1.12 * highest), power = 10 ** Math.floor(Math.log10(end / 3))
  const step = [1, 2, 5, 10].map(by => by * power).find(by => end / by <= 5)
  return { end, step }
}

function bars(state, now, { width, height, size }) {
  const { data } = state, { end, step } = scale(now), f = size
  const left = 2.6 * f, foot = 2.9 * f, head = 2.9 * f, base = height - foot
  const Y = value => base - (base - head) * Math.min(value, end) / end
  const column = (width - left) / now.bars.length, wide = Math.min(.62 * column, 6 * f)
  const svg = s("svg", { width, height, role: "group", "aria-label": now.alt })
  svg.append(s("defs", {}, ...patterns()))
  for (let value = 0; value <= end + 1e-9; value += step)
    svg.append(s("line", { x1: left, x2: width, y1: Y(value), y2: Y(value), class: value ? "grid" : "base" }),
      s("text", { x: left - .6 * f, y: Y(value) + .35 * f, "text-anchor": "end", class: "tick", "font-size": f }, String(+value.toPrecision(3))))
  now.bars.forEach((bar, i) => {
    const x = left + column * (i + .5), own = bar.l === now.chosen, all = total(bar), torn = all > end
    const group = s("g", { class: own ? "bar own" : "bar", role: "button", tabindex: 0, "data-l": bar.l, "aria-pressed": String(own), "aria-label": bar.spoken })
    group.onclick = () => state.use(bar.l)
    group.onkeydown = event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); state.use(bar.l) } }
    let from = 0
    for (const cause of CAUSES) {
      const to = from + bar.parts[cause]
      if (Y(from) - Y(to) > .2) group.append(s("rect", { x: x - wide / 2, y: Y(to), width: wide, height: Y(from) - Y(to), class: cause }))
      from = to
    }
    if (torn) group.append(s("path", { d: `M${x - wide / 2 - 3} ${head + 12}l${wide / 4 + 1.5} -8 ${wide / 4 + 1.5} 8 ${wide / 4 + 1.5} -8 ${wide / 4 + 1.5} 8`, class: "tear" }))
    const mark = column < 4 * f ? "" : own ? data.words.chosen : bar.l === now.lowest ? data.words.lowest : ""
    if (mark) group.append(s("text", { x, y: 1.25 * f, "text-anchor": "middle", class: "mark", "font-size": f }, mark))
    const known = state.shown === data.index && data.measured[bar.l]
    const above = known ? Math.min(Y(all), Y(known[0]) - 8) : Y(all)
    group.append(s("text", { x, y: above - .45 * f, "text-anchor": "middle", class: "total", "font-size": own ? 1.2 * f : f }, bar.text),
      s("text", { x, y: base + 1.3 * f, "text-anchor": "middle", class: "questions", "font-size": 1.2 * f }, String(bar.l)),
      column > 5.4 * f && s("text", { x, y: base + 2.5 * f, "text-anchor": "middle", class: "tick", "font-size": data.lecture ? f : 14 }, bar.groups))
    if (known) {
      const y = Y(known[0])
      group.append(s("path", { d: `M${x} ${y - 8}l8 8-8 8-8-8z`, class: "diamond" }, s("title", {}, `${data.words.measured} ${known[1]}`)))
    }
    // Last: it takes presses, and lies on no text.
    group.append(s("rect", { x: x - column / 2 + 2, y: 2, width: column - 4, height: height - 4, rx: 10, class: "frame" }))
    svg.append(group)
  })
  return svg
}

// In gray the colors look alike: stripes tell sampling, dots rebuilding, which is not known beforehand.
function patterns() {
  const pattern = (id, draw) => s("pattern", { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, ...draw)
  return [
    pattern("calm-striped", [s("rect", { width: 7, height: 7, class: "sampling-ground" }), s("rect", { width: 2.2, height: 7, class: "line" })]),
    pattern("calm-hatched", [s("rect", { width: 7, height: 7, class: "rebuilding-ground" }), s("rect", { width: 3.4, height: 7, class: "line" })]),
  ]
}

// ---- The words

function side({ data, root, shown }) {
  const { reading, note, refused } = data.epsilons[shown], { words } = data
  root.className = "root words"
  root.replaceChildren(...(reading ? [
    h("div", { class: "number", "aria-live": "polite" }, h("b", {}, reading.number), ` ${words.unit}`),
    h("div", { class: "caption" }, words.expected, " ", term("wrong", words.wrong, words.says_wrong), h("small", {}, reading.guess)),
    h("span", { class: `verdict ${reading.verdict}` }, h("span", { class: "sign", "aria-hidden": "true" }), reading.name),
    h("p", {}, h("b", {}, reading.sentence[0])),
    h("p", { class: "force rebuilding-edge" }, h("b", {}, words.fewer), " ", words.fewer_text),
    h("p", { class: "force noise-edge" }, h("b", {}, words.more), " ", words.more_text),
    note && h("p", { class: "note" }, note),
  ].filter(Boolean) : [h("p", { class: "refused" }, refused ?? "")]))
}
