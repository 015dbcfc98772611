// One row for each column of a file: what was seen, what it becomes, and what there is to decide.
const press = (key, label, act, extra = {}) =>
  h("button", { "data-key": key, type: "button", ...extra, onclick: event => once(event.target, act) }, label)

// Until Python has answered nothing more is done in that row. Its buttons stay, and so does the focus.
function once(part, act) {
  const row = part.closest("[data-row]")
  if (row.getAttribute("aria-busy")) return
  row.setAttribute("aria-busy", "true")
  act()
}

function question(row, asked, at, send) {
  const id = `asked-${row.at}-${at}`
  return h("div", { class: "asked" }, h("p", { id }, asked.sentence),
    h("div", { class: "choices", role: "group", "aria-labelledby": id }, ...asked.choices.map((choice, i) =>
      press(`${row.name}:asked:${at}:${i}`, choice.text, () => send({ act: "answer", column: row.name, about: asked.about, choice: i }),
        { "aria-pressed": String(choice.taken) }))))
}

function offer(row, made, words, send) {
  const say = act => send({ act, column: row.name, offer: made.key })
  return h("div", { class: "offer" },
    h("div", {}, press(`${row.name}:offer:${made.key}`, made.label, () => say("accept")),
      press(`${row.name}:leave:${made.key}`, "×", () => say("leave"),
        { class: "leave", "aria-label": `${words.leave}: ${made.label}`, title: words.leave })),
    made.texts ? h("small", {}, made.texts) : "")
}

function line(row, words, send) {
  const cell = (name, ...children) => h("div", { class: name, role: "cell" }, ...children)
  const plain = (act, label) => press(`${row.name}:${act}`, label, () => send({ act, column: row.name }), { class: "quiet" })
  return h("div", { role: "row", "data-row": row.name, class: row.used ? "row" : "row spare" },
    h("div", { class: "name", role: "rowheader", tabindex: "-1" }, h("b", {}, row.title),
      row.note ? h("small", {}, row.note) : ""),
    cell("saw", h("span", {}, row.saw), ...row.warnings.map(text => h("small", { class: "warning" }, text))),
    cell("becomes", h("span", { class: "arrow", "aria-hidden": "true" }, "→"), h("span", {}, row.becomes)),
    cell("decide", ...row.questions.map((asked, at) => question(row, asked, at, send)),
      ...row.offers.map(made => offer(row, made, words, send)),
      row.kept ? plain("keep", row.kept) : "",
      row.changed ? plain("found", words.found) : ""))
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root"), words = data.words
  const mine = stateOf(parentElement, () => {
    // What is heard by a screen reader stays in its place and changes its text only.
    const made = { said: h("p", { class: "visually-hidden", role: "status" }), body: h("div") }
    root.replaceChildren(made.said, made.body)
    return made
  })
  const send = what => tellPython(parentElement, setStateValue, "decided", what)
  const find = key => [...root.querySelectorAll("[data-key]")].find(part => part.dataset.key === key)
  function draw() {
    mine.body.replaceChildren(
      h("div", { class: "top", "data-row": "" }, h("p", { tabindex: "-1" }, words.lead)),
      h("div", { role: "table", "aria-label": words.saw, class: "table" },
        h("div", { role: "row", class: "head" }, ...["column", "saw", "becomes", "decide"].map(name =>
          h("div", { role: "columnheader" }, words[name]))),
        ...data.rows.map(row => line(row, words, send))),
      words.rest ? h("p", { class: "rest" }, words.rest) : "")
  }
  const before = parentElement.activeElement, key = before?.dataset.key
  const row = before?.closest("[data-row]")?.dataset.row
  draw()
  if (mine.said.textContent !== data.said) mine.said.textContent = data.said
  if (!mine.shown) {
    // The button that led here may have been anywhere on the page.
    mine.shown = true
    const top = root.getBoundingClientRect().top
    if (top < 0 || top > innerHeight / 2) root.scrollIntoView({ block: "start" })
  }
  if (row !== undefined) {
    // What was pressed may be gone: then the next button of its row has the focus, or the row.
    const home = [...root.querySelectorAll("[data-row]")].find(part => part.dataset.row === row)
    const next = find(key) ?? home?.querySelector("button") ?? home?.querySelector("[tabindex]")
    next?.focus({ preventScroll: true })
  }
}
