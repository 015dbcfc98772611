// Keeps the address bar at what Python says, without a new entry in the history.
export default function ({ data }) {
  const query = data.query ? "?" + data.query : ""
  const shown = location.pathname.replace(/\/$/, "").split("/").pop()
  // After a change of page a late answer of the page before must not write its address.
  const here = data.pages.includes(shown) ? shown : ""
  if (here === data.page && location.search !== query)
    history.replaceState(history.state, "", location.pathname + query + location.hash)
  document.body.dataset.calm = data.page || "start"
  // What stands around a translated page is in English.
  document.documentElement.lang = data.language
  for (const part of document.querySelectorAll(".st-key-chrome, .st-key-last")) part.lang = "en"
  document.documentElement.classList.toggle("calm-lecture", !!data.lecture)
}
