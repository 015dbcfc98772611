// The settings bar. While epsilon is dragged every table on the page hears it ("calm-epsilon") and draws at
// once; Python hears each choice once, when it is made.
const ICONS = {
  more: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  play: "M8 5v14l11-7z",
  pause: "M7 5h3v14H7zM14 5h3v14h-3z",
  noise: "M20 12a8 8 0 1 1-2.3-5.6M20 3v5h-5",
  undo: "M4 9h10a5 5 0 0 1 0 10h-3M4 9l4-4M4 9l4 4",
  leave: "M6 6l12 12M18 6L6 18",
}

// A settings bar of one line, whose controls are in the sheet (settings_bar.css).
const NARROW = matchMedia("(max-width: 640px)")

// What ends a press, and how long after it a click may come.
const ENDS = ["pointerup", "pointercancel"], CLICK = 50

function icon(name) {
  const filled = name === "play" || name === "pause"
  return s("svg", { viewBox: "0 0 24 24", class: filled ? "icon filled" : "icon", "aria-hidden": "true" },
    s("path", { d: ICONS[name] }))
}

// Screens of a lecture: back, which one with a list of all, and on; pressed as their keys are (lecture_keys.js).
function turns({ counter, words }) {
  const keys = [["PageUp", "‹", words.back], ["?", counter, words.screens], ["PageDown", "›", words.next]]
  return keys.map(([key, text, label], i) => h("button", { class: i === 1 ? "act counter" : "act turn", "aria-label": label,
    onclick: () => window.dispatchEvent(new CustomEvent("calm-key", { detail: key })) }, text))
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(root, () => ({ open: false, playing: false }))
  Object.assign(state, { root, data })
  state.tell = (field, value) => tellPython(parentElement, setStateValue, field, value)
  // Nothing is built anew under a finger, which would lose its press, nor under somebody who types.
  state.late = true
  catchUp(state)
  listen(root, state)
  return () => {
    window.removeEventListener("calm-playing", state.heard)
    window.removeEventListener("calm-epsilon", state.moved)
    window.removeEventListener("calm-errors", state.learned)
    document.removeEventListener("pointerdown", state.touched, true)
    for (const name of ENDS) document.removeEventListener(name, state.released, true)
  }
}

function catchUp(state) {
  if (state.late && !state.pressed && !state.dragging && !typing(state.root)) build(state.root, state)
}

function typing(root) {
  const field = root.getRootNode().activeElement
  return field?.type === "text" && field.value !== field.defaultValue
}

function build(root, state) {
  state.late = false
  const { data } = state, words = data.words
  const focused = root.getRootNode().activeElement?.dataset?.name
  const scrolled = root.querySelector(".panel")?.scrollTop
  const plain = data.controls.filter(control => !control.more)
  const more = data.controls.filter(control => control.more)
  const bar = h("div", { class: "settings-bar", role: "region", "aria-label": words.region },
    ...plain.map(control => block(control, state, "bar")),
    h("div", { class: "line" }, brief(plain)),
    h("span", { class: "space" }),
    ...(data.counter ? turns(data) : []),
    data.lecture && action("leave", state, () => state.tell("leave", 1)),
    data.controls.length > 0 && action("more", state, () => toggle(root, state)),
    data.play && h("button", { class: "act play", "data-name": "play",
      onclick: () => window.dispatchEvent(new CustomEvent("calm-play")) },
      ...playLabel(state)),
    data.actions.includes("undo") && action("undo", state, () => state.tell("undo", 1)),
    data.actions.includes("noise") && action("noise", state, () => state.tell("noise", 1)))
  // Of two choices of one setting the sheet has the longer one.
  const lists = new Set(more.filter(control => control.kind === "list").map(control => control.field))
  const sheet = plain.filter(control => !lists.has(control.field))
  const panel = h("div", { class: "panel", role: "dialog", "aria-label": words.more, "aria-modal": NARROW.matches ? "true" : null, hidden: !state.open },
    h("div", { class: "only-narrow" }, ...sheet.map(control => block(control, state, "sheet"))),
    ...more.map(control => block(control, state, "panel")),
    h("button", { class: "act close", onclick: () => toggle(root, state, false) }, words.close))
  panel.onkeydown = event => {
    if (event.key === "Escape") { event.stopPropagation(); toggle(root, state, false) }
    if (event.key === "Tab" && panel.hasAttribute("aria-modal")) stayWithin(panel, event)
  }
  root.className = "root" + (data.lecture ? " lecture" : "")
  root.replaceChildren(panel, bar)
  if (scrolled) panel.scrollTop = scrolled
  if (focused) root.querySelector(`[data-name="${focused}"]`)?.focus({ preventScroll: true })
}

const fieldsOf = panel => [...panel.querySelectorAll("input, select, button")].filter(field => field.checkVisibility())

// On a phone the sheet is all there is until it is closed: behind its last field comes its first.
function stayWithin(panel, event) {
  const fields = fieldsOf(panel), [from, to] = event.shiftKey ? [fields[0], fields.at(-1)] : [fields.at(-1), fields[0]]
  if (panel.getRootNode().activeElement !== from) return
  event.preventDefault()
  to.focus()
}

function playLabel({ data, playing, over }) {
  const { words } = data
  return [icon(playing ? "pause" : "play"), h("span", {}, playing ? words.pause : over ? words.again : data.play)]
}

function action(name, state, run) {
  const label = state.data.words[name]
  return h("button", { class: `act ${name}`, "data-name": name, onclick: run, title: label, "aria-label": label,
    "aria-expanded": name === "more" ? String(state.open) : null }, icon(name), h("span", {}, name === "more" ? state.data.words.change : label))
}

function toggle(root, state, open = !state.open) {
  state.open = open
  build(root, state)
  const aim = open ? fieldsOf(root.querySelector(".panel"))[0] : root.querySelector('[data-name="more"]')
  aim?.focus({ preventScroll: true })
}

// One line that tells the settings, for narrow screens: ε 1 · k 3 · n 60,000.
function brief(controls) {
  const letters = { epsilon: "ε", k: "k", n: "n" }
  return controls.filter(control => letters[control.field])
    .map(control => `${letters[control.field]} ${shown(control)}`).join(" · ")
}

function shown(control) {
  if (control.kind === "range") return control.steps[control.value]
  if (control.kind === "list") return (control.options.find(([value]) => value === control.value) ?? ["", control.value])[1]
  return control.value
}

function block(control, state, where) {
  const made = bare(control, state, where), help = state.data.help[control.field]
  if (help) made.title = help
  return made
}

function bare(control, state, where) {
  const { data } = state, id = `${where}-${control.field}`, label = control.label ?? data.words[control.field] ?? control.field
  if (control.kind === "range") return range(control, state, id, label)
  if (control.kind === "buttons")
    return h("div", { class: `block ${control.field}`, role: "group", "aria-labelledby": id },
      h("span", { class: "label", id }, label),
      h("div", { class: "buttons" }, ...control.options.map(value =>
        h("button", { "aria-pressed": String(value === control.value), "data-name": `${id}-${value}`,
          onclick: () => state.tell(control.field, value) }, String(value)))))
  const field = control.kind === "list"
    ? h("select", { id, "data-name": id }, ...control.options.map(([value, text]) =>
        h("option", { value, selected: value === control.value }, text)))
    : h("input", { id, "data-name": id, type: "text", value: control.value, placeholder: control.usual, autocomplete: "off",
        inputmode: ["method", "oracle"].includes(control.field) ? null : "decimal" })
  field.onchange = () => {
    field.defaultValue = field.value
    state.tell(control.field, field.value)
  }
  // What came meanwhile is shown once the next field has the focus.
  field.onblur = () => setTimeout(() => catchUp(state))
  return h("div", { class: `block ${control.field} ${control.kind}` }, h("label", { class: "label", for: id }, label), field)
}

function range(control, state, id, label) {
  const { words } = state.data
  const slider = h("input", { id, type: "range", min: 0, max: control.steps.length - 1, step: 1, "data-name": id })
  slider.value = control.value
  const number = h("b", { class: "value" })
  const say = () => {
    const i = +slider.value
    number.textContent = control.steps[i]
    const wrong = state.wrong?.[control.steps[i]] ?? (i === control.value ? control.wrong : "")
    slider.setAttribute("aria-valuetext", `epsilon ${control.steps[i]}: ${control.texts[i]}${wrong ? ` ${wrong}` : ""}`)
    slider.style.setProperty("--part", `${(100 * i) / (control.steps.length - 1)}%`)
  }
  state.say = say
  say()
  slider.oninput = () => {
    state.dragging = true
    say()
    const epsilon = +control.steps[+slider.value], grid = state.data.grid
    const index = grid.reduce((best, e, i) => (Math.abs(e - epsilon) < Math.abs(grid[best] - epsilon) ? i : best), 0)
    window.dispatchEvent(new CustomEvent("calm-epsilon", { detail: { index, epsilon, committed: false, from: "bar" } }))
  }
  // Keys come in bursts: Python hears where they end.
  slider.onchange = () => {
    clearTimeout(state.waiting)
    state.waiting = setTimeout(() => {
      state.dragging = false
      state.tell("epsilon", control.steps[+slider.value])
    }, state.byKey ? 200 : 0)
  }
  slider.onkeydown = () => { state.byKey = true }
  slider.onpointerdown = () => { state.byKey = false }
  state.follow = detail => {
    const i = control.steps.indexOf(String(detail.epsilon))
    if (i >= 0) { slider.value = i; say() }
  }
  return h("div", { class: "block epsilon" },
    h("div", {}, h("label", { class: "label", for: id }, label), number),
    h("div", { class: "track" }, slider, h("div", { class: "ends" }, h("span", {}, words.strong), h("span", {}, words.weak))))
}

function listen(root, state) {
  if (state.heard) return
  state.heard = event => {
    Object.assign(state, { playing: event.detail.on, over: event.detail.over })
    root.querySelector(".play")?.replaceChildren(...playLabel(state))
  }
  // Epsilon dragged elsewhere on the page moves this slider too.
  state.moved = event => { if (event.detail.from !== "bar") state.follow?.(event.detail) }
  // What a table on the page knows of every epsilon.
  state.learned = event => { state.wrong = event.detail; state.say?.() }
  state.touched = event => {
    state.pressed = event.composedPath().includes(root)
    if (state.open && !state.pressed) toggle(root, state, false)
  }
  state.released = () => setTimeout(() => {
    state.pressed = false
    catchUp(state)
  }, CLICK)
  window.addEventListener("calm-playing", state.heard)
  window.addEventListener("calm-epsilon", state.moved)
  window.addEventListener("calm-errors", state.learned)
  window.dispatchEvent(new CustomEvent("calm-errors-wanted"))
  document.addEventListener("pointerdown", state.touched, true)
  for (const name of ENDS) document.addEventListener(name, state.released, true)
}
