// On a phone: the button that opens the header as a sheet, with all sections and steps. In the Lab it
// tells the step. What is drawn where, closed and open, is said in frame.css.
const OPEN = "calm-menu", LINES = "M4 6h16M4 12h16M4 18h16"
const top = () => document.querySelector(".st-key-top")
const within = event => event.composedPath().some(one => one.matches?.(".st-key-top, [data-baseweb=popover]"))

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({ open: false }))
  if (!state.button) build(root, state)
  fill(state, data)
  return () => {
    show(state, false)
    for (const [target, name, heard] of state.listeners) target.removeEventListener(name, heard, true)
    kept.delete(parentElement)
  }
}

function build(root, state) {
  state.button = h("button", { onclick: () => show(state, !state.open), "aria-expanded": "false" })
  root.replaceChildren(state.button)
  state.listeners = [
    [document, "keydown", event => {
      if (!state.open || event.key !== "Escape") return
      event.stopPropagation()
      show(state, false)
      state.button.focus()
    }],
    // The sheet goes when something else is looked at, and when a link of it is followed.
    [document, "pointerdown", event => { if (!within(event)) show(state, false) }],
    [document, "focusin", event => { if (!within(event)) show(state, false) }],
    [document, "click", event => { if (within(event) && event.composedPath().some(one => one.tagName === "A")) show(state, false) }],
    [matchMedia("(max-width: 640px)"), "change", () => show(state, false)],
  ]
  for (const [target, name, heard] of state.listeners) target.addEventListener(name, heard, true)
}

function fill({ button }, { step, words }) {
  button.className = step ? "step" : ""
  if (!step) {
    button.setAttribute("aria-label", words.menu)
    button.replaceChildren(s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: LINES })))
    return
  }
  button.removeAttribute("aria-label")
  const dots = Array.from({ length: step.count }, (_, i) => h("i", { class: i < step.at ? "done" : i === step.at ? "here" : null }))
  button.replaceChildren(h("b", {}, step.name), h("span", { class: "visually-hidden" }, `. ${step.told}. ${words.menu}`),
    h("span", { class: "dots", "aria-hidden": "true" }, ...dots))
}

function show(state, open) {
  if (state.open === open) return
  state.open = open
  document.documentElement.classList.toggle(OPEN, open)
  state.button.setAttribute("aria-expanded", String(open))
  if (open) [...top().querySelectorAll(".st-key-sections a")].find(link => link.checkVisibility())?.focus()
}
