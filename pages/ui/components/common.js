// What every component of ours shares. Texts always go in as text, never as HTML.
const SVG = "http://www.w3.org/2000/svg"

// A new element with attributes, texts and children: h("button", {class: "x", onclick: f}, "Go").
function h(name, attributes = {}, ...children) {
  return dress(document.createElement(name), attributes, children)
}

// The same for shapes: s("rect", {x: 1, width: 5}).
function s(name, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG, name), attributes, children)
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith("on")) element[name] = value
    else element.setAttribute(name, value === true ? "" : value)
  }
  element.append(...children.filter(child => ![undefined, null, false, ""].includes(child)))
  return element
}

// State of a mounted component, kept over its runs.
const kept = new WeakMap()
function stateOf(parent, make) {
  if (!kept.has(parent)) kept.set(parent, make())
  return kept.get(parent)
}

// Tells Python of a choice. Each is heard once and in turn, the same one twice included, and also those that reach
// Python together, of which it would see the last only: so the last few are told along. Gives when it was.
const FEW = 20
const tellings = new WeakMap()
function tellPython(parent, setStateValue, field, value) {
  if (!tellings.has(parent)) tellings.set(parent, {})
  const all = tellings.get(parent), before = all[field] ?? []
  // By a clock that nobody sets back.
  const now = Math.round(performance.timeOrigin + performance.now())
  const at = Math.max(now, (before.at(-1)?.at ?? 0) + 1)
  all[field] = [...before, { value, at }].slice(-FEW)
  setStateValue(field, all[field])
  return at
}

// The foot of the window that the settings bar takes (room.css), in pixels.
const settingsBarHeight = ({ root, data }) =>
  parseFloat(getComputedStyle(root).getPropertyValue(data.lecture ? "--settings-bar-lecture" : "--settings-bar"))

// What is written above a picture later moves it: in a lecture it takes what is left of the room.
function watchStage(watch) {
  const stage = document.querySelector("[class*='st-key-stage_']")
  if (stage) watch.observe(stage)
}

const lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches

// What the settings bar's button says follows the picture on the page: it plays, it rests, it has come to its end.
const playing = (on, over = false) => window.dispatchEvent(new CustomEvent("calm-playing", { detail: { on, over } }))

// At most one drawing for each frame of the screen.
function eachFrame(draw) {
  let asked = 0
  return () => {
    if (asked) return
    asked = requestAnimationFrame(() => { asked = 0; draw() })
  }
}

// What this browser remembers of the lessons, or this tab alone. Where storage is switched off nothing is remembered.
const LESSONS = "calm-lessons", BROWSER = "localStorage", TAB = "sessionStorage"
function remembered(where) {
  try { return JSON.parse(window[where].getItem(LESSONS) || "{}") } catch { return {} }
}
function remember(where, lesson, changes) {
  const all = remembered(where)
  all[lesson] = { ...all[lesson], ...changes }
  try { window[where].setItem(LESSONS, JSON.stringify(all)) } catch { /* storage is switched off */ }
}

// A button that copies a text and says so. Outside https the clipboard needs the older way.
function copying(button, label, words, text) {
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(text()) } catch {
      const field = h("textarea", { style: "position:fixed;opacity:0" })
      field.value = text()
      document.body.append(field)
      field.select()
      document.execCommand("copy")
      field.remove()
    }
    label.textContent = words.copied
    setTimeout(() => { label.textContent = words.copy }, 2500)
  }
}
