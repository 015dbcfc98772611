// All lessons as cards, with how far this browser has come; and the card for teachers.
const dot = (x, y, r, color) => s("circle", { cx: x, cy: y, r, style: `fill:var(--${color})` })
const box = (x, y, width, height, color, more = {}) => s("rect", { x, y, width, height, rx: 5, style: `fill:var(--${color})`, ...more })
const many = (n, make) => Array.from({ length: n }, (_, i) => make(i))
const PICTURES = {
  why: () => many(30, i => dot(32 + i % 10 * 20, 30 + Math.floor(i / 10) * 20, i === 17 ? 9 : 7, i === 17 ? "sampling" : "pale")),
  sizes: () => [[12, 40], [18, 22], [25, 11], [34, 5], [46, 2], [60, 0]].flatMap(([noise, lost], i) => [
    box(56 + i * 24, 88 - noise, 17, noise, "reconstructed", { rx: 0 }), box(56 + i * 24, 88 - noise - lost, 17, lost, "rebuilding", { rx: 0 })]),
  coin: () => many(30, i => dot(32 + i % 10 * 20, 30 + Math.floor(i / 10) * 20, 7, [0, 4, 8, 11, 15, 19, 22, 26].includes(i) ? "reconstructed" : "pale")),
  epsilon: () => [
    s("path", { d: "M62 86L192 14", class: "faint" }), s("path", { d: "M62 86C82 46 132 24 192 14", class: "bold" }),
    s("path", { d: "M62 86C122 76 172 54 192 14", class: "bold soft" })],
  patterns: () => many(12, i => box(63 + i % 4 * 34, 14 + Math.floor(i / 4) * 26, 28, 20, i === 6 ? "reconstructed" : "pale")),
  splitting: () => ["reconstructed", "sampling", "private"].flatMap((color, g) =>
    many(16, i => dot(48 + g * 62 + i % 4 * 13, 28 + Math.floor(i / 4) * 15, 5, color))),
  agreement: () => [["reconstructed", 62, 18], ["private", 108, 34]].map(([color, x, y]) =>
    box(x, y, 80, 50, color, { rx: 8, style: `fill:var(--${color});fill-opacity:.22;stroke:var(--${color});stroke-width:3` })),
  shrinkage: () => [[40, 20], [-12, -28], [28, 9], [-16, -34], [24, 8], [-8, -22], [34, 12], [-18, -30]].flatMap(([a, b], i) => {
    const x = 62 + i * 18, far = Math.abs(a) > Math.abs(b) ? a : b, near = far === a ? b : a
    return [s("line", { x1: x, x2: x, y1: 50 - far, y2: 50 - near, class: "stem" }), s("circle", { cx: x, cy: 50 - far, r: 5, class: "open" }), dot(x, 50 - near / 2, 5.5, "reconstructed")]
  }).concat(s("line", { x1: 50, x2: 200, y1: 50, y2: 50, class: "zero" })),
  rest: () => [[150, "sampling"], [96, "reconstructed"], [60, "reconstructed"], [28, "reconstructed"]].map(([wide, color], i) => box(50, 12 + i * 20, wide, 14, color, { rx: 3 })),
  limits: () => [56, 32, 14, 5, -18].map((high, i) => box(58 + i * 28, high > 0 ? 70 - high : 70, 20, Math.abs(high), high > 0 ? "reconstructed" : "sampling", { rx: 0 }))
    .concat(s("line", { x1: 50, x2: 200, y1: 70, y2: 70, class: "zero" })),
  person: () => [dot(92, 32, 15, "sampling"), s("path", { d: "M62 84c0-44 60-44 60 0z", style: "fill:var(--sampling)" }),
    ...many(4, i => box(140 + i % 2 * 34, 24 + Math.floor(i / 2) * 32, 28, 26, i === 2 ? "reconstructed" : "pale"))],
  again: () => many(8, i => dot(52 + i * 21, 82 - 62 * (1 - 0.68 ** i), 7, "sampling"))
    .concat(s("line", { x1: 45, x2: 206, y1: 82, y2: 82, class: "zero" })),
  liars: () => [46, 40, 12].map((high, i) => box(62 + i * 34, 84 - high, 24, high, "reconstructed", { rx: 0 }))
    .concat(box(164, 66, 24, 18, "reconstructed", { rx: 0 }), box(164, 20, 24, 46, "sampling", { rx: 0 }), s("line", { x1: 50, x2: 200, y1: 84, y2: 84, class: "zero" })),
}

function card(lesson, i, data, seen, current, open) {
  const { words, steps } = data
  const started = seen.at > 0 && !seen.done
  const at = started ? seen.at : 0
  const state = seen.done ? h("span", { class: "done" }, `✓ ${words.done}`)
    : started ? h("span", { class: "on" }, data.step.replace("{at}", seen.at + 1).replace("{steps}", steps)) : h("span", {}, words.minutes)
  const link = h("a", { class: `card${current ? " current" : ""}`, href: `?lesson=${lesson.key}${at ? `&at=${at}` : ""}` },
    h("div", { class: "picture" }, s("svg", { viewBox: "0 0 250 100", "aria-hidden": "true" }, ...PICTURES[lesson.key]())),
    h("h2", {}, h("span", {}, i + 1), lesson.title), h("p", {}, lesson.line),
    h("div", { class: "end" }, state, h("b", {}, `${seen.done ? words.again : started ? words.resume : words.begin} →`)))
  link.onclick = event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open({ lesson: lesson.key, at })
  }
  return link
}

function teachers(data, state, tell) {
  const { words } = data
  const label = h("span", {}, words.copy), copy = h("button", { type: "button" }, label)
  copying(copy, label, words, () => {
    const lang = new URLSearchParams(location.search).get("lang")
    return location.origin + location.pathname + (lang ? `?lang=${lang}` : "")
  })
  const take = h("button", { class: "sheet", type: "button" }, state.waits ? words.making : words.sheet)
  take.onclick = () => {
    state.waits = true
    take.textContent = words.making
    tell("sheet")
  }
  return h("div", { class: "card teachers" }, h("h2", {}, words.teaching),
    h("div", { class: "acts" }, take, h("button", { type: "button", onclick: () => tell("assignment") }, words.assignment), copy, h("button", { type: "button", onclick: () => tell("lecture") }, words.lecture)))
}

// The sheet is made when it is asked for, and saved once it has come.
function save(sheet) {
  const file = URL.createObjectURL(new Blob([sheet.html], { type: "text/html" }))
  h("a", { href: file, download: sheet.name }).click()
  setTimeout(() => URL.revokeObjectURL(file), 10000)
}

export default function ({ data, parentElement, setStateValue }) {
  const state = stateOf(parentElement, () => ({ waits: false }))
  if (state.waits && data.sheet) {
    state.waits = false
    save(data.sheet)
  }
  const root = parentElement.querySelector(".root"), { words, lessons } = data
  const say = (field, value) => tellPython(parentElement, setStateValue, field, value)
  const seen = lessons.map(lesson => remembered(BROWSER)[lesson.key] || {})
  const done = seen.filter(one => one.done).length
  const started = seen.findIndex(one => one.at > 0 && !one.done)
  root.className = `root${data.lecture ? " lecture" : ""}`
  root.replaceChildren(
    h("div", { class: "top" }, h("div", { class: "progress" },
      h("span", {}, h("b", {}, words.count.replace("{done}", done).replace("{all}", lessons.length)), ` ${words.of}`),
      h("div", { class: "bar", "aria-hidden": "true" }, ...seen.map(one => h("i", { class: one.done ? "on" : one.at > 0 ? "half" : "" }))))),
    h("div", { class: "cards" }, ...lessons.map((lesson, i) => card(lesson, i, data, seen[i], i === started, value => say("open", value))),
      data.lecture ? "" : teachers(data, state, name => say(name, true))))
}
