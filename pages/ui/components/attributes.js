// One row for each attribute; a box says whether it is used.
function bar(row) {
  if (row.shares.length === 2)
    return h("div", { class: "bar", role: "img", "aria-label": row.alt },
      h("i", { style: `width:${100 * row.shares[1]}%` }))
  return h("div", { class: "bar many", role: "img", "aria-label": row.alt },
    ...row.shares.map((share, i) => h("i", { class: i % 2 ? "odd" : "", style: `width:${100 * share}%` })))
}

function row(told, words, use) {
  const box = h("input", {
    type: "checkbox", checked: told.used, disabled: words.locked, "aria-label": `${words.use} ${told.title}`,
    onchange: event => use(told.name, event.target.checked),
  })
  return h("li", { class: told.used ? "" : "spare" },
    h("label", { class: "box" }, box), h("b", {}, told.title),
    h("span", { class: "values", title: told.values }, told.values),
    told.shares.length ? bar(told) : h("span"), h("span", { class: "share" }, told.told),
    told.note ? h("small", {}, told.note) : "")
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root"), mine = stateOf(parentElement, () => ({ open: false }))
  const use = (name, used) => tellPython(parentElement, setStateValue, "used", { name, used })
  function draw() {
    const spare = data.rows.slice(data.first), shown = mine.open ? data.rows : data.rows.slice(0, data.first)
    const more = spare.length ? h("button", {
      class: "more", "aria-expanded": String(mine.open), onclick: () => { mine.open = !mine.open; draw(); focusMore() },
    }, mine.open ? data.words.less : data.words.more) : ""
    root.classList.toggle("lecture", data.lecture)
    root.style.setProperty("--rows", shown.length)
    root.replaceChildren(
      h("div", { class: "head", "aria-hidden": "true" }, h("span"), h("span", {}, data.words.attribute),
        h("span", { class: "values" }, data.words.values), h("span", {}, data.words.share), h("span")),
      h("ul", {}, ...shown.map(told => row(told, data.words, use))), more)
  }
  const focusMore = () => root.querySelector(".more")?.focus()
  // The box just used keeps the focus although all rows are drawn anew.
  const at = parentElement.activeElement?.getAttribute("aria-label")
  draw()
  if (at) [...root.querySelectorAll("input")].find(box => box.getAttribute("aria-label") === at)?.focus()
}
