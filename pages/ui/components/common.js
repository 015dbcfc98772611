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

// Tells Python of a choice, which has its time for a number. Python applies each number once, in order, and says which it
// has heard with the data of the component. Until then the choice is sent again: with the next one, and whenever the page
// rests; a press may come where the connection is lost, or end the run that was to hear the one before.
const MAX_CHOICES = 20, SEND_AGAIN = 1500
const outboxes = new WeakMap()
function tellPython(parent, setStateValue, field, value) {
  if (!outboxes.has(parent)) outboxes.set(parent, { last: 0, tries: 0, choices: {} })
  const box = outboxes.get(parent)
  // By a clock that nobody sets back.
  box.last = Math.max(Math.round(performance.timeOrigin + performance.now()), box.last + 1)
  box.choices[field] = [...(box.choices[field] ?? []), { value, at: box.last }].slice(-MAX_CHOICES)
  box.send = setStateValue
  setStateValue(field, box.choices[field])
  sendAgain(parent, box)
  return box.last
}

function confirmChoices(parent, confirmed = {}) {
  const choices = outboxes.get(parent)?.choices ?? {}
  for (const field in choices) choices[field] = choices[field].filter(choice => choice.at > (confirmed[field] ?? 0))
}

function sendAgain(parent, box) {
  clearTimeout(box.timer)
  box.timer = setTimeout(() => {
    const fields = Object.keys(box.choices).filter(field => box.choices[field].length)
    if (!fields.length || !parent.isConnected) return
    const app = document.querySelector(STREAMLIT.app)
    if (app?.getAttribute(STREAMLIT.connection) === STREAMLIT.connected && app.getAttribute(STREAMLIT.run) === STREAMLIT.idle) {
      box.tries += 1
      // Streamlit hears nothing where the value is the same.
      for (const field of fields) box.send(field, box.choices[field].map(choice => ({ ...choice, tries: box.tries })))
    }
    sendAgain(parent, box)
  }, SEND_AGAIN)
}

// The foot of the window that the settings bar takes (room.css), in pixels.
const settingsBarHeight = ({ root, data }) =>
  parseFloat(getComputedStyle(root).getPropertyValue(data.lecture ? "--settings-bar-lecture" : "--settings-bar"))

// What is written above a picture later moves it: in a lecture it takes what is left of the room.
function watchStage(watch) {
  const stage = document.querySelector("[class*='st-key-stage_']")
  if (stage) watch.observe(stage)
}

// Steps of the colors of a map, in people of 100: a color means the same at every setting.
const LEVELS = [1, 2, 5, 10, 20]
const levelOf = value => LEVELS.filter(edge => value >= edge).length / LEVELS.length
function levelKey(paint, unit = "") {
  const names = [`<1${unit}`, ...LEVELS.map((edge, i) => edge < 20 ? `${edge}–${LEVELS[i + 1]}${unit}` : `20${unit}+`)]
  return h("p", { class: "levels", "aria-hidden": "true" }, ...names.map((name, i) => {
    const { ground, ink } = paint(i / LEVELS.length)
    return h("span", { style: `background:${ground};color:${ink}` }, name)
  }))
}

// How far the page is scrolled, in pixels.
const pageScroll = () => document.querySelector(STREAMLIT.main)?.scrollTop ?? 0

const lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches

// What the settings bar's button says follows the picture on the page: it plays, it rests, it has come to its end.
const playing = (on, over = false) => window.dispatchEvent(new CustomEvent("calm-playing", { detail: { on, over } }))

// A component that is taken away watches and hears nothing more.
const leaving = (state, parent) => () => {
  state.watch.disconnect()
  for (const [name, heard] of state.listeners) window.removeEventListener(name, heard)
  kept.delete(parent)
}

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
