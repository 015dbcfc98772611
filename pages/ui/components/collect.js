// Reports come in: cards of the views fill, dots cross the line, the chosen view's table settles. Python
// sends some 40 moments of one collection (see collect.py); here they are shown one after the other.
const SECONDS = 8, NARROW = 900, PHONE = 640, CARDS = 40, DOTS = 14

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({ open: false, written: {} }))
  const before = state.data
  Object.assign(state, { root, data, tell: (field, value) => tellPython(parentElement, setStateValue, field, value) })
  // Another collection, or another screen of a lecture, begins where Python says; another view goes on.
  if (!before || before.moments.length !== data.moments.length || before.run !== data.run || before.start !== data.start) {
    stop(state)
    state.at = data.start
  }
  if (!state.view) build(state)
  fill(state)
  state.draw()
  return () => {
    stop(state)
    restore(state)
    state.watch.disconnect()
    for (const [name, heard] of state.listeners) window.removeEventListener(name, heard)
    kept.delete(parentElement)
  }
}

function build(state) {
  const part = (name, kind = "div") => h(kind, { class: name })
  const view = Object.fromEntries(["views", "line", "table", "rule", "asked", "cards", "scrub", "head", "reading", "plot"].map(name => [name, part(name)]))
  state.view = view
  view.views.append(view.asked, view.cards, view.scrub)
  view.table.append(view.head, view.reading, view.plot)
  state.root.replaceChildren(view.rule, view.views, view.line, view.table)
  state.draw = eachFrame(() => draw(state))
  state.watch = new ResizeObserver(() => state.draw())
  state.watch.observe(state.root)
  watchStage(state.watch)
  document.fonts?.ready.then(() => { state.look = null; state.draw() })
  state.listeners = [
    ["resize", () => state.draw()],
    ["calm-play", () => play(state)],
    // What is drawn was collected with another epsilon than the one under the finger.
    ["calm-epsilon", ({ detail }) => state.root.classList.toggle("former", detail.index !== state.data.epsilon)],
  ]
  for (const [name, heard] of state.listeners) window.addEventListener(name, heard)
}

// The parts that say the same at every moment.
function fill(state) {
  const { data, view, root } = state, words = data.words
  root.className = data.lecture ? "root lecture" : "root"
  view.rule.textContent = words.rule
  view.asked.replaceChildren(h("b", {}, words.groups), " ", words.asked)
  fillCards(state)
  const cell = h("div", { class: "cell" }, words.cell)
  state.number = h("b", {}), state.unit = h("span", { class: "unit" }), state.verdict = h("span", { class: "verdict" })
  state.group = h("div", { class: "group" }), state.result = h("div", { class: "result" }, data.result)
  view.head.replaceChildren(h("h2", { title: data.name }, data.name), state.group, state.result)
  view.reading.replaceChildren(h("div", { class: "number" }, state.number, state.unit), cell, state.verdict)
  if (!state.slider) fillScrub(state)
  state.slider.max = data.moments.length - 1
  state.ends.replaceChildren(h("span", {}, data.moments[0].reports), h("span", {}, data.moments.at(-1).reports))
  drawLine(state)
}

function fillCards(state) {
  const { data, view } = state, words = data.words
  const focused = state.root.getRootNode().activeElement?.dataset?.view
  const many = data.groups > CARDS
  let shown = data.views.map((_, i) => i)
  if (many && !state.open) {
    shown = shown.slice(0, CARDS - 1)
    if (!shown.includes(data.chosen)) shown[CARDS - 2] = data.chosen
  }
  state.cards = shown.map(i => {
    const names = data.views[i].map(a => data.attributes[a])
    const lines = names.length === 2 ? names.map(name => h("span", {}, name)) : [h("span", { class: "all" }, names.join(", "))]
    return h("button", {
      class: "card", "data-view": i, "aria-pressed": String(i === data.chosen), title: names.join(" × "),
      onclick: () => state.tell("view", i),
    }, ...lines)
  })
  const rest = data.groups - shown.length
  const toggle = many && h("button", { class: "card more", "data-view": "more", "aria-expanded": String(state.open),
    onclick: () => { state.open = !state.open; fillCards(state); show(state) } },
    state.open ? words.fewer : words.more.replace("{n}", rest.toLocaleString("en")))
  view.cards.replaceChildren(...state.cards, ...(toggle ? [toggle] : []))
  view.cards.classList.toggle("many", shown.length > 28)
  view.cards.setAttribute("role", "group")
  view.cards.setAttribute("aria-label", words.views)
  if (focused !== undefined) view.cards.querySelector(`[data-view="${focused}"]`)?.focus({ preventScroll: true })
}

function fillScrub(state) {
  const { view, data } = state
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": data.words.scrub })
  slider.oninput = () => { stop(state); state.at = +slider.value; show(state) }
  state.slider = slider
  state.ends = h("div", { class: "ends", "aria-hidden": "true" })
  view.scrub.replaceChildren(h("span", { class: "label", "aria-hidden": "true" }, data.words.scrub), slider, state.ends)
}

// The dashed line with the dots that cross it; they move only while the collection plays.
function drawLine(state) {
  const { view, data } = state, high = Math.max(200, view.views.offsetHeight || 394), wide = 64
  const dots = Array.from({ length: DOTS }, (_, i) => s("circle", {
    r: 4.5, cy: (high * (.07 + .618034 * i)) % (high - 12) + 6, cx: wide / 2, class: "report", "fill-opacity": (.5 + .5 * ((.37 * i) % 1)).toFixed(2),
  }))
  const text = s("text", { x: wide / 2, y: high / 2, transform: `rotate(-90 ${wide / 2} ${high / 2})`, "text-anchor": "middle", "dominant-baseline": "central" }, data.words.line)
  const svg = s("svg", { width: wide, height: high, role: "img", "aria-label": data.words.line },
    s("line", { x1: wide / 2, x2: wide / 2, y1: 0, y2: high, class: "boundary" }), ...dots, text)
  view.line.replaceChildren(svg)
  const width = text.getComputedTextLength?.() || 150
  svg.insertBefore(s("rect", { x: wide / 2 - 10, width: 20, y: (high - width) / 2 - 8, height: width + 16, class: "ground" }), text)
  state.dots = dots
  state.lineHigh = high
}

// ---- what is shown at one moment; between two the marks are on their way.
function measure(state) {
  const { data, root, view } = state
  const phone = innerWidth <= PHONE, lecture = data.lecture
  const size = lecture ? Math.max(22, Math.round(innerHeight / 30)) : phone ? 15 : 16
  root.style.setProperty("--size", `${size}px`)
  root.classList.toggle("phone", phone && !lecture)
  root.classList.toggle("narrow", innerWidth <= NARROW)
  const lying = phone && !lecture && data.table.cells.length > 5
  let height = 318
  const top = view.plot.getBoundingClientRect().top + (lecture ? 0 : scrollY)
  if (lecture) height = Math.max(240, innerHeight - top - settingsBarHeight(state) - 12)
  else if (lying) height = rowsHeight(data.table, size)
  else if (phone) height = 260
  else height = Math.max(height, view.views.offsetHeight - view.head.offsetHeight - 44, Math.min(620, innerHeight - 402))
  return { width: view.plot.clientWidth, height, size, lying, family: getComputedStyle(root).fontFamily }
}

function draw(state) {
  state.box = measure(state)
  if (!state.box.width) return
  if (Math.abs((state.view.views.offsetHeight || state.lineHigh) - state.lineHigh) > 2) drawLine(state)
  show(state)
}

function show(state) {
  const { data, box } = state
  if (!box?.width) return
  const i = Math.min(Math.floor(state.at + 1e-9), data.moments.length - 1), moment = data.moments[i]
  const look = JSON.stringify([data.run, data.chosen, box, moment.top, moment.bottom, moment.tick, !!moment.reconstructed, data.table.cells])
  if (state.look !== look) {
    state.look = look
    drawTable(state, moment)
  }
  state.move(between(data, state.at))
  if (state.playing) state.view.plot.firstChild?.classList.add("still")
  if (state.shown !== i || state.told !== data) tell(state, i, moment)
}

function drawTable(state, moment) {
  const { data, box, view } = state
  const svg = s("svg", { width: box.width, height: box.height, role: "img", class: "still" })
  const axis = { top: moment.top, bottom: moment.bottom, tick: moment.tick }
  const table = { ...data.table, axis, ghosts: moment.ghosts, reconstructed: moment.reconstructed }
  state.move = (box.lying ? drawRows : drawBars)(svg, table, box)
  view.plot.replaceChildren(svg)
  if (!state.playing) requestAnimationFrame(() => requestAnimationFrame(() => { if (!state.playing) svg.classList.remove("still") }))
  state.shown = null
}

const shares = numbers => numbers.map(number => number / 1000)

// The marks at a place between two moments.
function between(data, at) {
  const i = Math.min(Math.floor(at + 1e-9), data.moments.length - 1), part = at - i
  const now = data.moments[i], next = data.moments[i + 1]
  const whole = { true: data.table.true, texts: data.table.texts, worst: null, alt: now.alt }
  if (!now.reconstructed) return { ...whole, reconstructed: null, ghosts: null }
  if (part < 1e-6 || !next) return { ...whole, reconstructed: shares(now.reconstructed), ghosts: now.ghosts.map(shares) }
  const mix = (a, b) => a.map((value, c) => (value + (b[c] - value) * part) / 1000)
  return { ...whole, reconstructed: mix(now.reconstructed, next.reconstructed), ghosts: now.ghosts.map((one, j) => mix(one, next.ghosts[j])) }
}

function tell(state, i, moment) {
  const { data } = state, last = i === data.moments.length - 1
  state.shown = i
  state.told = data
  for (const place of Object.keys(PLACES)) write(state, place, moment[place])
  state.number.textContent = moment.number || "–"
  state.unit.textContent = moment.number ? ` ${data.words.unit}` : ""
  state.verdict.className = `verdict ${moment.verdict}`
  state.verdict.replaceChildren(...(moment.verdict ? [h("span", { class: "sign", "aria-hidden": "true" }), moment.name] : []))
  state.verdict.title = moment.verdict ? moment.sign : ""
  state.group.textContent = moment.group
  state.result.style.visibility = last ? "visible" : "hidden"
  state.view.plot.firstChild.setAttribute("aria-label", moment.alt)
  state.slider.value = i
  state.slider.setAttribute("aria-valuetext", moment.spoken)
  state.slider.style.setProperty("--done", `${100 * i / Math.max(1, data.moments.length - 1)}%`)
  for (const card of state.cards)
    card.style.setProperty("--full", `${(100 * parseInt(moment.levels[+card.dataset.view] ?? "0", 36)) / 35}%`)
  state.root.dataset.reports = moment.reports
  placeDots(state, last || i === 0 && !state.playing ? null : state.at)
}

function placeDots(state, at) {
  state.dots.forEach((dot, j) => {
    dot.setAttribute("visibility", at === null ? "hidden" : "visible")
    if (at !== null) dot.setAttribute("cx", 6 + 52 * ((.29 * at + .618034 * j * 1.7) % 1))
  })
}

// ---- the title of the page and the stepper tell the moment: its texts are written where the shell has drawn
// them. Their pieces stay where they are, since Streamlit goes on changing them: the first says all.
const PLACES = { title: "h1", told: ".st-key-stepper [class*=_here] p > span:last-child:not(:has(strong))" }

function write(state, place, text) {
  const holder = document.querySelector(PLACES[place])
  if (!holder) return
  const pieces = [], walker = document.createTreeWalker(holder, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) pieces.push(walker.currentNode)
  if (!pieces.length || holder.textContent === text) return
  const former = state.written[place]
  const before = former?.text === holder.textContent ? former.before : pieces.map(piece => piece.nodeValue)
  pieces.forEach((piece, i) => { piece.nodeValue = i ? "" : text })
  state.written[place] = { holder, pieces, before, text }
}

// They go back to what Python wrote, unless Python has written since.
function restore({ written }) {
  for (const { holder, pieces, before, text } of Object.values(written))
    if (holder.textContent === text) pieces.forEach((piece, i) => { piece.nodeValue = before[i] })
}

// ---- playing: from the first moment to the last in eight seconds, evenly on the logarithm of reports.
function play(state) {
  const { data } = state, last = data.moments.length - 1
  if (state.playing) return stop(state)
  if (lessMotion()) {
    state.at = data.stops.find(halt => halt > state.at) ?? data.stops[0]
    return show(state)
  }
  if (state.at >= last) state.at = 0
  const begin = performance.now() - 1000 * SECONDS * placeOf(data, state.at)
  const step = now => {
    // A frame may carry a time from before the press.
    const way = Math.min(1, Math.max(0, (now - begin) / (1000 * SECONDS)))
    state.at = way >= 1 ? last : momentAt(data, way)
    show(state)
    if (way >= 1) return stop(state, true)
    placeDots(state, (now - begin) / 220)
    state.playing = requestAnimationFrame(step)
  }
  state.playing = requestAnimationFrame(step)
  state.over = false
  playing(true)
}

function stop(state, over = false) {
  if (!state.playing && !state.over) return
  cancelAnimationFrame(state.playing)
  Object.assign(state, { playing: 0, over })
  playing(false, over)
}

function placeOf({ moments }, at) {
  const i = Math.floor(at), part = at - i
  return moments[i].place + (part && (moments[i + 1].place - moments[i].place) * part)
}

function momentAt({ moments }, way) {
  const next = moments.findIndex(moment => moment.place > way)
  const from = moments[next - 1].place, to = moments[next].place
  return next - 1 + (way - from) / (to - from)
}
