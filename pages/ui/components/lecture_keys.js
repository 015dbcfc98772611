// Keys of a teacher's clicker and keyboard. Nothing is heard while somebody types; arrows, Home and End stay with
// a slider that has the focus, the keys of a clicker never do. One key is answered before the next is
// told: in the middle of a change of page it would be taken for a key of the page before.
const LOCAL = { b: black, f: fullScreen, p: () => window.dispatchEvent(new CustomEvent("calm-play")) }

function black() {
  const shade = document.querySelector("#calm-black")
  if (shade) return shade.remove()
  const cover = h("div", { id: "calm-black", style: "position:fixed;inset:0;background:#000;z-index:999999" })
  cover.onclick = () => cover.remove()
  document.body.append(cover)
}

// All keys with what they do, and in a lecture its screens to jump to; the same key, Escape or a press takes the list away.
function showKeys({ help, title, screens, at }, jump) {
  const shown = document.querySelector("#calm-keys")
  if (shown) return shown.remove()
  const rows = help.map(([key, what]) => h("tr", {}, h("th", { scope: "row", style: "text-align:left;padding:4px 32px 4px 0" }, key), h("td", {}, what)))
  const names = screens.map((name, i) => h("li", {}, h("button", { onclick: () => jump(`screen ${i}`), "aria-current": i === at ? "step" : null,
    style: `border:0;background:none;color:#0a5c94;font:inherit;font-size:max(22px,2.4vh);text-align:left;cursor:pointer;padding:2px 0;font-weight:${i === at ? 700 : 400}` }, name)))
  const list = h("div", { style: "display:flex;flex-wrap:wrap;gap:16px 56px;max-height:94vh;overflow:auto;background:#fff;color:#111;border-radius:16px;padding:28px 40px;font-size:max(22px,2.4vh);line-height:1.4" },
    h("table", { style: "align-self:start" }, ...rows), screens.length ? h("ol", { style: "margin:0;padding-left:1.6em" }, ...names) : "")
  const cover = h("div", { id: "calm-keys", role: "dialog", "aria-label": title, style: "position:fixed;inset:0;background:#0008;z-index:999999;display:grid;place-items:center" }, list)
  cover.onclick = () => cover.remove()
  document.body.append(cover)
  list.querySelector("[aria-current]")?.focus()
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen()
  else document.documentElement.requestFullscreen().catch(() => {})
}

// An answer that never comes (the connection was lost) must not silence the keys for good.
const PATIENCE = 5000
// A clicker pressed in impatience: what is beyond a few presses nobody has meant.
const MANY = 8

export default function ({ data, parentElement, setStateValue }) {
  const state = stateOf(parentElement, () => ({ queue: [], awaited: 0, since: 0 }))
  const root = parentElement.querySelector(".root")
  const waits = () => state.awaited > 0 && Date.now() - state.since < PATIENCE
  const next = () => {
    if (!waits()) {
      const what = state.queue.shift()
      state.awaited = what ? tellPython(parentElement, setStateValue, "key", what) : 0
      state.since = Date.now()
    }
    root.toggleAttribute("data-waiting", waits())
  }
  if ((data.confirmed?.key ?? 0) >= state.awaited && !data.moving) state.awaited = 0
  next()
  const press = what => {
    if (state.queue.length < MANY) state.queue.push(what)
    next()
  }
  if (state.heard) {
    document.removeEventListener("keydown", state.heard, true)
    removeEventListener("calm-key", state.pressed)
  }
  state.pressed = ({ detail }) => detail === "?" ? showKeys(data, press) : press(data.keys[detail])
  addEventListener("calm-key", state.pressed)
  state.heard = event => {
    const at = event.composedPath()[0]
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const paging = name.startsWith("Page")
    const written = /^(textarea|select)$/i.test(at.tagName || "") || at.isContentEditable
      || (/^input$/i.test(at.tagName || "") && !/^(range|checkbox|radio|button)$/.test(at.type))
    const sliding = at.type === "range" || at.getAttribute?.("role") === "slider"
      || ["radio", "tab", "option", "menuitem"].includes(at.getAttribute?.("role"))
    if (event.ctrlKey || event.metaKey || event.altKey || written) return
    if (sliding && !paging && /^(Arrow|Home|End)/.test(name)) return
    const open = document.querySelector("#calm-keys")
    if (open && name === "Escape") { event.preventDefault(); return open.remove() }
    if (name === "?" && data.help.length) { event.preventDefault(); return showKeys(data, press) }
    if (data.lecture && LOCAL[name]) { event.preventDefault(); return LOCAL[name](data) }
    const what = data.keys[name]
    if (!what) return
    event.preventDefault()
    event.stopPropagation()
    press(what)
  }
  document.addEventListener("keydown", state.heard, true)
  return () => {
    document.removeEventListener("keydown", state.heard, true)
    removeEventListener("calm-key", state.pressed)
    document.querySelectorAll("#calm-black, #calm-keys").forEach(one => one.remove())
  }
}
