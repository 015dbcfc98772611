// The line above a lesson: all lessons, which one, how far, its link. This browser remembers how far.
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root"), { words } = data
  const label = h("span", {}, words.copy), copy = h("button", { class: "link copy", type: "button" }, label)
  copying(copy, label, words, () => {
    const address = new URL(location.href)
    const lang = address.searchParams.get("lang")
    address.search = new URLSearchParams({ lesson: data.lesson, ...(data.at ? { at: data.at } : {}), ...(lang ? { lang } : {}) })
    address.hash = ""
    return address.href
  })
  root.replaceChildren(
    h("button", { class: "link", type: "button", onclick: () => setTriggerValue("all", true) }, words.all),
    h("span", { class: "number" }, data.number), h("b", {}, data.title), h("span", { class: "space" }),
    h("span", { class: "step" }, data.step),
    h("span", { class: "bar", "aria-hidden": "true" }, ...Array.from({ length: data.steps }, (_, i) => h("i", { class: i <= data.at ? "on" : "" }))),
    copy)
  const last = data.at === data.steps - 1
  remember(BROWSER, data.lesson, { at: data.at, ...(last ? { done: true } : {}) })
}
