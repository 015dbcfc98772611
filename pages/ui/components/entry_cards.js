// The ways into the app, and settings to begin with. A plain click is answered by Python, so that the
// page changes without loading anew; the address is there for a new tab.
const CARD_ICONS = {
  learn: "M12 4 2 9l10 5 10-5zM6 12v4.5c2 2 10 2 12 0V12M21.5 9.5V15",
  data: "M4 5h16v14H4zM4 10h16M10 5v14",
  lecture: "M3 4h18M4 4v11h16V4M12 15v3m-4 3 4-3 4 3",
  on: "M5 12h14m-6-6 6 6-6 6",
}

const drawn = name => s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: CARD_ICONS[name] }))

export default function ({ data, parentElement, setStateValue }) {
  const go = id => event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    tellPython(parentElement, setStateValue, "go", id)
    if (id === "data") focusPicker()
  }
  const cards = data.cards.map(card => h("a", { class: "card", href: card.href, onclick: go(card.id) },
    h("span", { class: "picture" }, drawn(card.id)), h("span", { class: "what" }, h("b", {}, card.title), h("small", {}, card.text)), drawn("on")))
  const presets = data.presets.flatMap(({ id, title }, i) => [i ? " · " : "", h("button", { onclick: go(id) }, title)])
  parentElement.querySelector(".root").replaceChildren(h("nav", { "aria-label": data.label, class: "cards" }, ...cards),
    presets.length ? h("p", { class: "presets" }, `${data.begin} `, ...presets) : "")
}

// Who wants to try a file finds the picker under the keyboard as soon as its page is there.
function focusPicker(tries = 50) {
  const picker = document.querySelector(STREAMLIT.dropButton)
  if (picker) picker.focus({ preventScroll: true })
  else if (tries) setTimeout(focusPicker, 100, tries - 1)
}
