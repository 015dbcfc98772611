// Streamlit gives the theme's colors to components only: hand them on to the frame around the page.
const COLOURS = {
  ground: "background-color", surface: "secondary-background-color", line: "border-color", ink: "text-color",
  muted: "gray-text-color", faint: "gray-color", primary: "primary-color", reconstructed: "blue-color", pale: "blue-background-color",
  sampling: "orange-color", rebuilding: "violet-color", private: "green-color",
  precise: "green-text-color", "precise-ground": "green-background-color",
  rough: "yellow-text-color", "rough-ground": "yellow-background-color",
  unusable: "orange-text-color", "unusable-ground": "orange-background-color",
}

export default function ({ parentElement }) {
  const told = getComputedStyle(parentElement.querySelector(".root"))
  const frame = document.documentElement.style
  for (const [ours, theirs] of Object.entries(COLOURS))
    frame.setProperty(`--calm-${ours}`, told.getPropertyValue(`--st-${theirs}`))
  frame.setProperty("--calm-action", "#0A66A5")
}
