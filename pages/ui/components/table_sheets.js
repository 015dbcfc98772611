const shareTint = level => ({ ground: `color-mix(in srgb, var(--pale) ${100 * level}%, var(--ground))`, ink: "var(--ink)" })

// The table as numbers: a grid tinted by the reconstructed share, and a list of all cells.
function drawGrid(data) {
  const { rows, columns } = data.grid, width = columns.length
  const head = h("tr", {}, h("td"), ...columns.map(name => h("th", { scope: "col" }, name)))
  const body = rows.map((name, r) => h("tr", {}, h("th", { scope: "row" }, name), ...columns.map((_, c) => {
    const i = r * width + c
    const cell = h("td", {
      class: i === data.worst ? "furthest" : "", title: data.cells[i],
      style: `background:${shareTint(levelOf(100 * data.reconstructed[i])).ground}`,
    })
    if (data.true) cell.append(h("span", { class: "was" }, exactPercent(data.true[i])))
    cell.append(h("b", {}, exactPercent(data.reconstructed[i])))
    return cell
  })))
  const made = h("table", { class: "grid" }, h("thead", {}, head), h("tbody", {}, ...body))
  return h("div", { class: "sheet" }, h("p", { class: "key" }, h("span", { class: "was" }, data.texts.true), " ", h("b", {}, data.texts.reconstructed)), levelKey(shareTint, "%"), made)
}

function drawList(data, mark = "list") {
  const columns = [data.texts.cell, data.true && data.texts.true, data.reconstructed && data.texts.reconstructed].filter(Boolean)
  const head = h("tr", {}, ...columns.map(name => h("th", { scope: "col" }, name)))
  const body = data.cells.map((cell, i) => h("tr", { class: i === data.worst ? "furthest" : "" },
    h("th", { scope: "row" }, cell),
    data.true && h("td", {}, exactPercent(data.true[i])),
    data.reconstructed && h("td", { class: "reconstructed" }, h("b", {}, exactPercent(data.reconstructed[i])))))
  return h("table", { class: mark }, h("caption", { class: "visually-hidden" }, data.alt), h("thead", {}, head), h("tbody", {}, ...body.map(row => row)))
}
