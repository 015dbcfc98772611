// The table as numbers: a list of all cells.
function drawList(data, mark = "list") {
  const columns = [data.texts.cell, data.true && data.texts.true, data.reconstructed && data.texts.reconstructed].filter(Boolean)
  const head = h("tr", {}, ...columns.map(name => h("th", { scope: "col" }, name)))
  const body = data.cells.map((cell, i) => h("tr", { class: i === data.worst ? "furthest" : "" },
    h("th", { scope: "row" }, cell),
    data.true && h("td", {}, exactPercent(data.true[i])),
    data.reconstructed && h("td", { class: "reconstructed" }, h("b", {}, exactPercent(data.reconstructed[i])))))
  return h("table", { class: mark }, h("caption", { class: "visually-hidden" }, data.alt), h("thead", {}, head), h("tbody", {}, ...body.map(row => row)))
}
