// One reconstructed table beside the true one, with its number and verdict. Python sends all numbers and texts
// (see tables.py); here they are placed, and followed while epsilon is dragged anywhere on the page.
const PHONE = 640, BURST = 200, PATIENCE = 5000

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({ shown: data.index, parts: {}, play: null }))
  settle(state, data)
  if (state.data && JSON.stringify(state.data.reconstructed) !== JSON.stringify(data.reconstructed)) stopPlaying(state, null)
  Object.assign(state, { data, root, tell: (field, value) => tellPython(parentElement, setStateValue, field, value) })
  if (!state.view) build(state)
  fill(state)
  state.draw()
  tellErrors(state)
  return () => {
    stopPlaying(state, null)
    window.dispatchEvent(new CustomEvent("calm-errors", { detail: null }))
    leaving(state, parentElement)()
  }
}

// What is shown under a moving finger, or was asked for and is not answered yet, stands against older data.
function settle(state, data) {
  if (state.asked && (state.asked === data.index + 1 || performance.now() - state.askedAt > PATIENCE)) state.asked = 0
  else if (state.asked || state.moving) return
  if (state.data?.index !== data.index) state.shown = data.index
}

function build(state) {
  const part = name => h("div", { class: name })
  state.view = Object.fromEntries(["head", "chips", "plot", "reading", "notes", "foot"].map(name => [name, part(name)]))
  state.root.replaceChildren(...Object.values(state.view))
  state.draw = eachFrame(() => draw(state))
  state.follow = eachFrame(() => follow(state))
  state.watch = new ResizeObserver(() => state.draw())
  state.watch.observe(state.root)
  document.fonts?.ready.then(() => { state.size = null; state.draw() })
  state.listeners = [
    ["resize", () => state.draw()],
    ["calm-epsilon", event => heardEpsilon(state, event.detail)],
    ["calm-play", () => play(state)],
    ["calm-errors-wanted", () => tellErrors(state)],
  ]
  for (const [name, heard] of state.listeners) window.addEventListener(name, heard)
}

// The settings bar's slider says them too: how many people are in the wrong cell at every epsilon.
function tellErrors({ data }) {
  if (!data.steps.length) return
  const errors = data.steps.map((step, i) => {
    const { number, source } = i === data.index && data.reading ? data.reading : step
    return [step.epsilon, `${number} ${data.texts.unit} ${data.texts.wrong}, ${source}.`]
  })
  window.dispatchEvent(new CustomEvent("calm-errors", { detail: Object.fromEntries(errors) }))
}

function heardEpsilon(state, { index }) {
  state.shown = index
  if (index !== state.data.index) stopPlaying(state, null)
  if (state.slider) state.slider.value = index
  state.follow()
}

// A part is made anew only when what it says has changed: focus stays where it is.
function part(state, name, content, make) {
  const now = JSON.stringify(content ?? null)
  if (state.parts[name] === now) return
  state.parts[name] = now
  state.view[name].replaceChildren(...(content ? [make(content)].flat() : []))
  state.view[name].hidden = !content
}

function fill(state) {
  const { data, root } = state
  root.className = ["root", data.head && "card", data.compact && "compact", data.side && "sided", data.lecture && "lecture"].filter(Boolean).join(" ")
  root.dataset.measured = !!data.measured
  part(state, "head", data.head && [data.head, data.lecture], () => h("div", { class: "names" }, h("h2", {}, data.head.title), h("div", {}, data.head.subtitle)))
  part(state, "chips", data.lecture ? null : data.chips, chips => makeChips(state, chips))
  part(state, "notes", data.lecture ? null : data.side, side => makeNotes(state, side))
  const read = data.steps.length || data.reading
  part(state, "reading", read && [data.head, data.side, data.lecture], () => makeReading(state))
  part(state, "foot", data.slider && [data.texts, data.steps.length], () => makeFoot(state))
  if (state.slider) state.slider.value = state.shown
}

function makeReading(state) {
  const { data } = state, mean = data.side?.mean
  const number = h("span", { class: "value" }), source = h("span"), guess = h("small")
  const name = data.lecture ? h("span") : term("verdict", "", data.texts.says_verdict)
  const verdict = h("span", { class: "verdict" }, h("span", { class: "sign", "aria-hidden": "true" }), name), sentence = h("p", { class: "sentence" })
  const wrong = data.lecture ? data.texts.wrong : term("wrong", data.texts.wrong, data.texts.says_wrong)
  state.reading = { number, source, guess, verdict, name, sentence }
  return [
    h("div", { class: "number", "aria-live": "polite" }, number, h("span", { class: "unit" }, ` ${data.texts.unit}`)),
    h("div", { class: "caption" }, wrong, ", ", source, data.side && guess, mean && h("small", {}, mean)),
    verdict, data.side && sentence,
  ].filter(Boolean)
}

function makeChips(state, { chosen, others, add, remove }) {
  const made = chosen.map(([name, title]) => h("span", { class: "chip" }, title,
    chosen.length > 1 && h("button", { "aria-label": `${remove} ${title}`, onclick: () => state.tell("attrs", { name, shown: false }) }, "×")))
  if (others.length) {
    const more = h("select", { "aria-label": add, onchange: event => state.tell("attrs", { name: event.target.value, shown: true }) },
      h("option", { value: "", selected: true }, `+ ${add}`), ...others.map(([name, title]) => h("option", { value: name }, title)))
    made.push(more)
  }
  return made
}

function makeNotes(state, { furthest, origin, notes, actions }) {
  const press = id => () => state.tell("act", id)
  return [
    furthest && h("p", { class: "furthest-off" }, furthest),
    origin && h("div", { class: "origin" }, h("b", {}, origin.finding), " ", origin.text, " ", origin.action && h("button", { class: "link", onclick: press(origin.action[0]) }, origin.action[1])),
    ...notes.map(note => h("p", { class: "note" }, note)),
    ...actions.map(([id, text]) => h("button", { class: "suggestion", onclick: press(id) }, text)),
  ].filter(Boolean)
}

function makeFoot(state) {
  const { data } = state, texts = data.texts
  const slider = h("input", { type: "range", min: 0, max: data.steps.length - 1, step: 1, "aria-label": texts.epsilon })
  slider.oninput = () => {
    const index = +slider.value
    state.moving = true
    window.dispatchEvent(new CustomEvent("calm-epsilon", {
      detail: { index, epsilon: +state.data.steps[index].epsilon, committed: false, from: "table" },
    }))
  }
  // Keys come in bursts: Python hears where they end.
  slider.onchange = () => { clearTimeout(state.timer); state.timer = setTimeout(ask, state.byKey ? BURST : 0, state) }
  slider.onkeydown = () => { state.byKey = true }
  slider.onpointerdown = () => { state.byKey = false }
  state.slider = slider
  state.foot = { epsilon: h("span", { class: "epsilon" }), words: h("p", { class: "words" }) }
  return [
    h("div", { class: "privacy" }, h("span", { class: "label" }, texts.epsilon), state.foot.epsilon),
    h("div", { class: "track" }, slider, h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, texts.strong), h("span", {}, texts.weak))),
    state.foot.words,
  ]
}

// Python is asked for the epsilon chosen, the one it has too if another was asked for and is not answered yet;
// where it does not adopt it, what was collected is shown again.
function ask(state) {
  const index = +state.slider.value
  state.moving = false
  if (index === state.data.index && !state.asked) return
  Object.assign(state, { asked: index + 1, askedAt: performance.now() })
  state.tell("epsilon", state.data.steps[index].epsilon)
  setTimeout(() => {
    if (state.asked !== index + 1 || state.moving) return
    Object.assign(state, { asked: 0, shown: state.data.index })
    state.slider.value = state.shown
    state.follow()
  }, PATIENCE)
}

// Height and letters: given at the desk, what the window leaves in a lecture and on a phone.
function measure(state) {
  const { data, root, view } = state, phone = innerWidth <= PHONE, lecture = data.lecture
  const size = lecture ? Math.max(22, Math.round(innerHeight / 30)) : phone ? 15 : data.compact ? 15 : 16
  root.style.setProperty("--size", `${size}px`)
  root.classList.toggle("phone", phone && !lecture)
  root.classList.toggle("sheeted", sheeted(data))
  besideTitle(state, phone)
  const width = view.plot.clientWidth
  const top = view.plot.getBoundingClientRect().top + parseFloat(getComputedStyle(view.plot).paddingTop)
  const left = innerHeight - top - settingsBarHeight(state) - 12
  let height = data.height
  if (lecture) height = Math.max(240, left - (view.foot.hidden ? 0 : view.foot.offsetHeight + 12))
  else if (phone) height = Math.min(data.height, 260)
  else if (data.grows) height = Math.min(640, Math.max(height, innerHeight - (720 - height)))
  const lying = phone && !lecture && (data.style !== "pale" || data.cells.length > 5)
  if (lying) height = rowsHeight(data, size)
  // In a lecture the verdict stands in the line of the legend.
  const room = width - (lecture && state.reading ? state.reading.verdict.offsetWidth + size : 0)
  return { width, height, size, room, least: lecture ? 22 : 14, lying, family: getComputedStyle(root).fontFamily }
}

// What stands in the line of the page's title: chips while there is room, and a lecture's number.
function besideTitle({ root, view }, phone) {
  const title = document.querySelector("h1"), chips = view.chips
  chips.classList.remove("beside")
  if (!title?.firstChild) return
  const words = document.createRange()
  words.selectNodeContents(title)
  const [line] = words.getClientRects(), own = root.getBoundingClientRect()
  if (!line) return
  root.style.setProperty("--lift", `${own.top - (line.top + line.bottom) / 2}px`)
  if (phone || chips.hidden) return
  chips.classList.add("beside")
  if (chips.scrollWidth > own.right - words.getBoundingClientRect().right - 24) chips.classList.remove("beside")
}

const sheeted = data => data.mode === "list" || data.mode === "grid"

function draw(state) {
  // A legend leaves room for the verdict.
  read(state)
  const { data, view } = state, box = measure(state)
  if (!box.width) return
  const look = JSON.stringify([box, data.cells, data.labels, data.groups, data.attributes, data.levels, data.more, data.axis, data.style, data.mode, data.texts, data.numbers, !!data.true, !!data.reconstructed, data.ghosts?.length, data.low.length, data.guess.length, data.lecture, data.grid])
  if (state.look !== look || sheeted(data)) {
    state.look = look
    state.move = sheeted(data) ? showSheet(state, box) : showDrawing(state, box)
  }
  state.drawn = data
  follow(state)
}

function showSheet({ data, view }, box) {
  const made = data.mode === "grid" ? drawGrid(data) : h("div", { class: "sheet" }, drawList(data))
  made.tabIndex = 0
  made.setAttribute("role", "region")
  made.setAttribute("aria-label", data.alt)
  made.style.maxHeight = `${box.height}px`
  view.plot.replaceChildren(made)
  return () => {}
}

function showDrawing(state, box) {
  const { data, view } = state
  const svg = s("svg", { width: box.width, height: box.height, role: "img" })
  const move = (box.lying ? drawRows : drawBars)(svg, data, box)
  const table = h("div", { class: "visually-hidden" })
  view.plot.replaceChildren(svg, table)
  drawnStill(svg)
  return now => {
    move(now)
    svg.setAttribute("aria-label", now.alt)
    // Other numbers are drawn by the same marks.
    if (state.listed !== state.data) { state.listed = state.data; table.replaceChildren(drawList(state.data, "as-table")) }
  }
}

// What is shown now: the collection made, the spread at the epsilon under the finger, or one of the 20.
function shownNow(state) {
  const { data, shown, play } = state, step = data.steps[shown]
  const now = { true: data.true, reconstructed: data.reconstructed, worst: data.worst, texts: data.texts, alt: data.alt, ghosts: null, guess: data.guess, low: data.low, high: data.high }
  const away = step && shown !== data.index
  now.faded = !!away
  if (step && data.ghosts && (away || data.style === "pale")) now.ghosts = ghostShares(data, step.spread)
  if (away) { now.worst = null; now.low = [] }
  if (play) {
    const { shares } = play
    now.ghosts = shares.slice(0, play.at)
    now.reconstructed = shares[play.at - 1] ?? data.reconstructed
    now.worst = null
    now.low = []
    now.legend = data.texts[play.told].replace("{i}", play.at).replace("{n}", shares.length)
  }
  return now
}

const ghostShares = (data, spread) => data.ghosts.map(one => one.map((z, i) => Math.max(data.axis.bottom, data.true[i] + spread * z)))
const played = ({ data, shown }) => data.plays.length
  ? { shares: data.plays, told: "playing" } : { shares: ghostShares(data, data.steps[shown].spread), told: "imagining" }

function follow(state) {
  // Marks of the data before are not moved to those of now, of which there may be fewer: drawing follows.
  if (!state.move || state.drawn !== state.data) return
  const { data, shown } = state, step = data.steps[shown]
  state.move(shownNow(state))
  read(state)
  if (state.foot && step) {
    state.foot.epsilon.textContent = step.epsilon
    state.foot.words.replaceChildren(h("b", {}, step.words[0]), " ", step.words[1])
    state.slider.setAttribute("aria-valuetext", step.spoken)
    state.slider.style.setProperty("--done", `${100 * shown / (data.steps.length - 1)}%`)
  }
  state.root.dataset.ready = "1"
}

// What the number and its verdict say now.
function read({ data, shown, reading }) {
  const step = data.steps[shown], now = step && (shown !== data.index || !data.reading) ? step : data.reading
  if (reading && now) showReading(reading, now)
}

function showReading(view, now) {
  const { number, source, guess, verdict, name, sentence } = view
  if (number.textContent !== now.number) number.textContent = now.number
  source.textContent = now.source
  guess.textContent = now.guess
  verdict.className = `verdict ${now.verdict}`
  name.textContent = now.name
  verdict.title = now.sign
  sentence.replaceChildren(h("b", {}, now.sentence[0]), " ", now.sentence[1])
}

// 20 collections in 8 seconds; a second press pauses. Who wants less motion sees the last, then steps.
function play(state) {
  const { data } = state
  if (!data.plays.length && !(data.ghosts && data.steps.length)) return
  if (state.play?.timer) return stopPlaying(state, state.play.at)
  // A pause goes on with the same collections.
  const before = state.play ?? { ...played(state), at: 0 }, count = before.shares.length
  if (lessMotion()) { state.play = { ...before, at: state.play ? before.at % count + 1 : count }; return state.follow() }
  state.play = { ...before, at: before.at < count ? before.at : 0 }
  state.play.timer = setInterval(() => {
    if (state.play.at >= count) return stopPlaying(state, count, true)
    state.play.at += 1
    state.follow()
  }, 8000 / count)
  playing(true)
}

// Stop at one of the collections, or return to the collection made.
function stopPlaying(state, at, over = false) {
  if (state.play?.timer) clearInterval(state.play.timer)
  if (state.play) playing(false, over)
  state.play = at === null ? null : { ...state.play, timer: null, at }
  state.follow?.()
}
