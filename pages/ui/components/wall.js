// What a class has told, live: three numbers, then for every question its shares with their 95% intervals as
// bands on one scale from 0 to 100%, or the table of two questions. Python sends every text and every share. The first
// column is the class's; those behind it are of people who were invented.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root"), state = stateOf(parentElement, () => ({}))
  Object.assign(state, { data, root })
  if (!state.draw) {
    state.draw = eachFrame(() => build(state))
    state.watch = new ResizeObserver(state.draw)
    state.watch.observe(root)
    addEventListener("resize", state.draw)
  }
  state.draw()
  return () => {
    state.watch.disconnect()
    removeEventListener("resize", state.draw)
    kept.delete(parentElement)
  }
}

function build({ data, root, ...state }) {
  if (!root.clientWidth) return
  root.className = `root${data.lecture ? " lecture" : ""}${data.columns.length > 1 ? " several" : ""}`
  const look = JSON.stringify([data.questions.map(asked => [asked.text, asked.rows.length]), data.columns, data.pair, data.lecture])
  // The same questions as before: marks move to their new places.
  if (root.dataset.look === look) follow(root, data)
  else {
    root.dataset.look = look
    root.replaceChildren(counts(data), ...(data.pair ? [pair(data.pair)] : questions(data)))
    follow(root, data)
  }
  room(root, data)
  root.dataset.ready = "1"
}

const counts = data => h("dl", { class: "counts" }, ...data.counts.map(() =>
  h("div", {}, h("dt"), h("dd", {}, h("b"), h("span")))))

function questions(data) {
  const several = data.columns.length > 1
  const heads = several && h("div", { class: "row heads", "aria-hidden": "true" }, h("span"),
    ...data.columns.map((title, i) => h("span", { class: i ? "head invented" : "head" }, title)))
  return [heads, ...data.questions.map(asked => h("section", {},
    h("h2", { dir: "auto" }, asked.text), h("p", { class: "asked" }),
    ...asked.rows.map(row => line(row, data.columns)))), data.questions.length > 0 && axis(data.columns)].filter(Boolean)
}

function line(row, columns) {
  const cells = columns.flatMap((_, i) => [h("div", { class: i ? "track invented" : "track", "aria-hidden": "true" },
    h("i", { class: "band" }), h("i", { class: "dot" })), h("span", { class: "value" })])
  return h("div", { class: "row" }, h("span", { class: "label", dir: "auto" }, row.label), ...cells)
}

const axis = columns => h("div", { class: "row axis", "aria-hidden": "true" }, h("span"), ...columns.flatMap(() =>
  [h("div", { class: "ticks" }, ...["0%", "50%", "100%"].map(text => h("span", {}, text))), h("span")]))

function follow(root, data) {
  root.querySelectorAll(".counts > div").forEach((box, i) => {
    const [label, value, note] = data.counts[i]
    box.querySelector("dt").textContent = label
    box.querySelector("b").textContent = value
    box.querySelector("span").textContent = note
  })
  root.querySelectorAll("section").forEach((section, q) => {
    const asked = data.questions[q]
    section.querySelector(".asked").textContent = asked.asked
    section.querySelectorAll(".row").forEach((row, r) => {
      const marks = asked.rows[r].marks, tracks = row.querySelectorAll(".track"), values = row.querySelectorAll(".value")
      marks.forEach((mark, c) => {
        const [band, dot] = tracks[c].children, known = mark.share !== null
        tracks[c].classList.toggle("raw", known && mark.low === null)
        dot.hidden = !known
        band.hidden = mark.low === null
        dot.style.left = `${100 * (mark.share ?? 0)}%`
        band.style.left = `${100 * (mark.low ?? 0)}%`
        band.style.width = `${100 * ((mark.high ?? 0) - (mark.low ?? 0))}%`
        values[c].replaceChildren(h("b", {}, mark.text), mark.note ? h("span", {}, ` ${mark.note}`) : "")
      })
    })
  })
}

// The table of two questions: rows are choices of the first, columns those of the second.
function pair({ first, second, columns, rows, notes }) {
  const named = (text, about) => h("th", { dir: "auto", title: text, ...about }, h("span", { class: "name" }, text))
  const many = Math.max(rows.length, columns.length) > 3
  return h("div", { class: "pair" },
    h("div", { class: `scroll${many ? " many" : ""}`, tabindex: "0", role: "group", "aria-label": `${first} ${second}` }, h("table", {},
      h("thead", {},
        h("tr", {}, h("td"), named(second, { class: "asks", scope: "colgroup", colspan: columns.length })),
        h("tr", {}, named(first, { class: "asks", scope: "col" }), ...columns.map(text => named(text, { scope: "col" })))),
      h("tbody", {}, ...rows.map(row => h("tr", {}, named(row.label, { scope: "row" }),
        ...row.marks.map(mark => h("td", { style: `--share:${Math.round(40 * mark.share)}%` },
          h("b", {}, mark.text), h("span", {}, mark.note)))))))),
    h("div", { class: "told" }, ...notes.map((text, i) => h("p", { class: i ? "asked" : "link" }, text))))
}

// In a lecture questions share the height that is left above the settings bar; what is too high is drawn closer.
function room(root, data) {
  const sections = root.querySelectorAll("section"), rows = root.querySelectorAll("section .row")
  root.style.removeProperty("--gap")
  root.style.removeProperty("--less")
  delete root.dataset.close
  if (!data.lecture) return
  const main = pageScroll()
  const top = root.getBoundingClientRect().top + main
  const spare = () => innerHeight - top - settingsBarHeight({ root, data }) - 12 - root.scrollHeight
  if (sections.length) {
    const left = spare() - 12, em = parseFloat(getComputedStyle(root).fontSize)
    if (left >= 0) return root.style.setProperty("--gap", `${Math.min(48, left / sections.length)}px`)
    root.dataset.close = "1"
    root.style.setProperty("--less", `${Math.max(0, Math.min(0.6 * em, (12 - spare()) / rows.length))}px`)
  } else if (data.pair) for (const close of ["1", "2", "3"]) if (spare() < 0) root.dataset.close = close
}
