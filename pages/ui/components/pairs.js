// Every pair of attributes with its error printed in the cell: a lower triangle, drawn at real pixels.
// A cell is a button: arrows move between cells, Enter opens the table of the pair.
const GAP = 3, MIN_SIDE = 28, SLANT = Math.sin(28 * Math.PI / 180)
// Ink on a tint must be read with this contrast; only the highest level is as dark as it gets.
const READABLE = 4.8
// Room that the key takes, in heights of its text.
const KEY_HIGH = 8.6, KEY_WIDE = 5

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(root, () => ({ at: null }))
  state.data = data
  state.open = pair => tellPython(parentElement, setStateValue, "open", pair)
  state.draw ||= eachFrame(() => draw(root, state))
  if (!state.sized) {
    state.sized = new ResizeObserver(state.draw)
    state.sized.observe(root)
    watchStage(state.sized)
    window.addEventListener("resize", state.draw)
  }
  draw(root, state)
  return () => {
    state.sized.disconnect()
    window.removeEventListener("resize", state.draw)
  }
}

function draw(root, state) {
  const { data } = state, wide = root.clientWidth
  if (!wide) return
  const look = measure(root, data, wide)
  const drawn = JSON.stringify([data, look, colors(root)])
  if (state.drawn === drawn) return
  state.drawn = drawn
  const focused = root.getRootNode().activeElement?.dataset?.at
  root.className = "root" + (data.lecture ? " lecture" : "")
  for (const [name, value] of Object.entries(look.style)) root.style.setProperty(name, value)
  const box = h("div", { class: look.scrolls ? "box scrolls" : "box" }, table(root, state, look))
  const tint = tints(root)
  const key = levelKey(tint)
  key.classList.toggle("aside", look.aside)
  root.replaceChildren(box, key)
  if (focused) root.querySelector(`[data-at="${focused}"]`)?.focus({ preventScroll: true })
  if (look.scrolls) show(box, state)
}

// How large cells and texts are, for the room there is.
function measure(root, data, wide) {
  const rows = data.labels.length - 1, lecture = data.lecture, narrow = innerWidth <= 640
  const text = lecture ? Math.max(22, innerHeight / 30) : 16
  const names = Math.min(widest(root, data.labels, text) + 10, wide * 0.34)
  const top = root.getBoundingClientRect().top + pageScroll()
  const room = innerHeight - Math.max(0, top) - settingsBarHeight({ root, data }) - (lecture ? 12 : 60)
  const least = narrow ? 44 : MIN_SIDE
  const width = clamp((wide - names) / rows - GAP, least, lecture ? 190 : 53)
  const upright = narrow || width < 44
  const low = narrow ? 44 : lecture ? text * 1.25 : 22, longest = Math.min(names, lecture ? text * 13 : 190)
  // Names below give way before rows do: at the left they stand once more.
  const spare = room - rows * (low + GAP)
  const slanted = narrow ? longest : clamp(upright ? spare : (spare - text) / SLANT, Math.min(longest, text * 5.25), longest)
  const below = upright ? slanted : slanted * SLANT + text
  const height = clamp((room - below) / rows - GAP, low, lecture ? 90 : narrow ? 44 : 43)
  const tall = rows * (height + GAP) + below
  const scrolls = names + rows * (width + GAP) > wide + 1 || (!narrow && !lecture && tall > Math.max(room, 360) + 1)
  // The key of the colors stands in the empty corner, beside so many rows; in a lecture below the headline.
  const beside = Math.min(rows, Math.ceil((KEY_HIGH + (lecture ? 2.6 : 0)) * text / (height + GAP)))
  const number = lecture ? text : clamp(Math.min(17, width * 0.4, height * 0.6), 14, 17)
  return {
    scrolls, upright, aside: !scrolls && !narrow && wide - names - beside * (width + GAP) > KEY_WIDE * text,
    style: {
      "--names": `${names}px`, "--below": `${below}px`, "--slanted": `${slanted}px`, "--wide": `${width}px`, "--high": `${height}px`,
      "--text": `${text}px`, "--number": `${number}px`, "--most": `${Math.max(room, 360)}px`,
    },
  }
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value))

let ruler
function widest(root, labels, size) {
  ruler ||= document.createElement("canvas").getContext("2d")
  ruler.font = `${size}px ${getComputedStyle(root).fontFamily}`
  return Math.max(...labels.map(label => ruler.measureText(label).width))
}

function table(root, state, look) {
  const { data } = state, { labels } = data
  const worst = data.cells.reduce((a, b) => (b.wrong > a.wrong ? b : a)).wrong
  const tint = tints(root)
  const at = new Map(data.cells.map(cell => [`${cell.row}-${cell.column}`, cell]))
  state.at = at.has(state.at) ? state.at : data.cells.find(cell => cell.wrong === worst) && key(data.cells.find(cell => cell.wrong === worst))
  const body = h("tbody")
  for (let row = 1; row < labels.length; row++) {
    const line = h("tr", {}, h("th", { scope: "row", title: labels[row] }, h("span", {}, labels[row])))
    for (let column = 0; column < row; column++) {
      const cell = at.get(`${row}-${column}`)
      line.append(h("td", {}, button(root, state, cell, tint(levelOf(100 * cell.wrong)), cell.wrong === worst)))
    }
    body.append(line)
  }
  const foot = h("tfoot", {}, h("tr", {}, h("td", { class: "corner" }),
    ...labels.slice(0, -1).map(label => h("th", { scope: "col", title: label }, h("span", {}, label)))))
  return h("table", { class: look.upright ? "upright" : "" }, h("caption", { class: "visually-hidden" }, data.alt), body, foot)
}

const key = cell => `${cell.row}-${cell.column}`

function button(root, state, cell, look, worst) {
  const made = h("button", {
    class: worst ? "worst" : "", "data-at": key(cell), "aria-label": cell.alt, title: cell.alt,
    tabindex: state.at === key(cell) ? 0 : -1,
    onclick: () => state.open([cell.row, cell.column]),
    onkeydown: event => move(root, state, cell, event),
  }, cell.text)
  made.style.background = look.ground
  made.style.color = look.ink
  return made
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }
function move(root, state, cell, event) {
  const step = STEPS[event.key]
  if (!step) return
  event.preventDefault()
  event.stopPropagation()
  const next = root.querySelector(`[data-at="${cell.row + step[0]}-${cell.column + step[1]}"]`)
  if (!next) return
  root.querySelector(`[data-at="${state.at}"]`)?.setAttribute("tabindex", -1)
  state.at = next.dataset.at
  next.setAttribute("tabindex", 0)
  next.focus()
}

// Where not all fits: as it was scrolled, at first from the beginning only so far that the worst cell is seen.
function show(box, state) {
  if (state.scrolled) box.scrollTo(...state.scrolled)
  else {
    const worst = box.querySelector(".worst").getBoundingClientRect(), own = box.getBoundingClientRect()
    const foot = box.querySelector("tfoot").getBoundingClientRect().height
    box.scrollTo(worst.right + 6 - own.left - box.clientWidth, worst.bottom + 6 - own.top - box.clientHeight + foot)
  }
  const aim = [box.scrollLeft, box.scrollTop]
  box.onscroll = () => {
    const now = [box.scrollLeft, box.scrollTop]
    if (now.some((at, i) => Math.abs(at - aim[i]) > 2)) state.scrolled = now
  }
}

function colors(root) {
  const found = getComputedStyle(root)
  return ["--ground", "--ink", "--reconstructed"].map(name => found.getPropertyValue(name).trim())
}

// The ground and the ink of a cell for its level from 0 to 1, by the colors of the theme.
function tints(root) {
  const [ground, ink, reconstructed] = colors(root).map(parsed)
  let most = 0.85
  while (most > 0.3 && contrast(ink, mixed(reconstructed, ground, most)) < READABLE) most -= 0.01
  const light = luminance(ground) > 0.5 ? [255, 255, 255] : [11, 19, 27]
  return level => level === 1
    ? { ground: css(reconstructed), ink: css(light) }
    : { ground: css(mixed(reconstructed, ground, 0.08 + (most - 0.08) * level)), ink: css(ink) }
}

function parsed(color) {
  ruler ||= document.createElement("canvas").getContext("2d")
  ruler.fillStyle = color
  const hex = ruler.fillStyle
  return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16))
}
const css = rgb => `rgb(${rgb.map(Math.round).join(" ")})`
const mixed = (a, b, part) => a.map((value, i) => part * value + (1 - part) * b[i])
const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}
