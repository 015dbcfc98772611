// The ways into the app, and settings to begin with. A plain click is answered by Python, so that the
// page changes without loading anew; the address is there for a new tab.
const DOOR_ICONS = {
  learn: "M12 4 2 9l10 5 10-5zM6 12v4.5c2 2 10 2 12 0V12M21.5 9.5V15",
  data: "M4 5h16v14H4zM4 10h16M10 5v14",
  lecture: "M3 4h18M4 4v11h16V4M12 15v3m-4 3 4-3 4 3",
  on: "M5 12h14m-6-6 6 6-6 6",
}

const drawn = name => s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: DOOR_ICONS[name] }))

export default function ({ data, parentElement, setStateValue }) {
  const go = id => event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    tellPython(parentElement, setStateValue, "go", id)
    if (id === "data") focusPicker()
  }
  const doors = data.doors.map(door => h("a", { class: "door", href: door.href, onclick: go(door.id) },
    h("span", { class: "picture" }, drawn(door.id)), h("span", { class: "what" }, h("b", {}, door.title), h("small", {}, door.text)), drawn("on")))
  const presets = data.presets.flatMap(({ id, title }, i) => [i ? " · " : "", h("button", { onclick: go(id) }, title)])
  parentElement.querySelector(".root").replaceChildren(h("nav", { "aria-label": data.label, class: "doors" }, ...doors),
    presets.length ? h("p", { class: "presets" }, `${data.begin} `, ...presets) : "")
}

// Who wants to try a file finds the picker under the keyboard as soon as its page is there.
function focusPicker(tries = 50) {
  const picker = document.querySelector('[data-testid="stFileUploaderDropzone"] button, [data-testid="stFileUploader"] button')
  if (picker) picker.focus({ preventScroll: true })
  else if (tries) setTimeout(focusPicker, 100, tries - 1)
}
