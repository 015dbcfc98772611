// A link to a word scrolls to it, and again while what stands above still grows, until somebody moves.
export default function ({ parentElement }) {
  const state = stateOf(parentElement, () => ({}))
  const end = () => {
    state.watch?.disconnect()
    for (const name of ["wheel", "pointerdown", "keydown"]) removeEventListener(name, end, true)
  }
  if (state.name === location.hash) return end
  state.name = location.hash
  end()
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target) return end
  state.watch = new ResizeObserver(() => target.scrollIntoView())
  state.watch.observe(document.querySelector(STREAMLIT.block))
  for (const name of ["wheel", "pointerdown", "keydown"]) addEventListener(name, end, true)
  return end
}
