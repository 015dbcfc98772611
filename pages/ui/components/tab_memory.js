// Keeps this tab's key to what it has uploaded where no link, page or other tab gets at it, and how far in the
// Lab the tab has been.
const NAME = "calm.kept", REACHED = "calm.reached"

// Browsers may forbid to store anything.
function storage() {
  try { return sessionStorage } catch { return null }
}

// The drop zone may be drawn some frames after this.
function focus(tries = 120) {
  const button = document.querySelector(".st-key-drop " + STREAMLIT.dropButton)
  if (button) button.focus()
  else if (tries) requestAnimationFrame(() => focus(tries - 1))
}

export default function ({ data, parentElement, setStateValue }) {
  const mine = stateOf(parentElement, () => ({ asked: false, focused: 0 })), store = storage()
  if (data.keep) store?.setItem(NAME, data.keep)
  else if (data.drop) store?.removeItem(NAME)
  if (data.ask && !mine.asked) {
    mine.asked = true
    tellPython(parentElement, setStateValue, "key", store?.getItem(NAME) ?? "")
  }
  // Once: what a page loaded anew has forgotten. Afterwards the server knows best.
  const before = +(store?.getItem(REACHED) ?? 0)
  if (mine.told || data.reached >= before) store?.setItem(REACHED, data.reached)
  else tellPython(parentElement, setStateValue, "reached", before)
  mine.told = true
  if (data.focus !== mine.focused) {
    mine.focused = data.focus
    focus()
  }
}
