// Says in plain sight that the server does not answer any more, and has the page run once more when it does: by then it
// may be another process, or have forgotten this session.
const PATIENCE = 2000, SPREAD = 2000

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({ lost: false }))
  root.textContent = data.away
  root.classList.toggle("lecture", data.lecture)
  const app = document.querySelector(STREAMLIT.app)
  const look = () => {
    clearTimeout(state.timer)
    if (app.getAttribute(STREAMLIT.connection) !== STREAMLIT.connected) {
      // Streamlit would begin a new session with the address that the page was opened at: it looks at the one shown
      // now where somebody has gone back or forward.
      if (!state.lost) window.dispatchEvent(new PopStateEvent("popstate"))
      state.lost = true
      // A short loss mends itself.
      state.timer = setTimeout(() => { root.hidden = false }, PATIENCE)
    } else {
      root.hidden = true
      // A whole class does not come back at once.
      if (state.lost) setTimeout(() => setTriggerValue("back", true), SPREAD * Math.random())
      state.lost = false
    }
  }
  state.watch?.disconnect()
  state.watch = new MutationObserver(look)
  state.watch.observe(app, { attributeFilter: [STREAMLIT.connection] })
  return () => { clearTimeout(state.timer); state.watch.disconnect() }
}
