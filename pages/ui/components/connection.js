// Says in plain sight that the server does not answer any more, until it does.
const ATTRIBUTE = "data-test-connection-state", PATIENCE = 2000

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({}))
  root.textContent = data.away
  root.classList.toggle("lecture", data.lecture)
  const app = document.querySelector("[data-testid=stApp]")
  const look = () => {
    clearTimeout(state.timer)
    // A short loss mends itself.
    if (app.getAttribute(ATTRIBUTE) === "CONNECTED") root.hidden = true
    else state.timer = setTimeout(() => { root.hidden = false }, PATIENCE)
  }
  state.watch?.disconnect()
  state.watch = new MutationObserver(look)
  state.watch.observe(app, { attributeFilter: [ATTRIBUTE] })
  return () => { clearTimeout(state.timer); state.watch.disconnect() }
}
