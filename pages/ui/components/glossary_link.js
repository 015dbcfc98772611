// A dotted word, as terms.py writes it: what it means, and the way to the glossary beside the page.
const term = (anchor, text, says) =>
  h("a", { class: "term", href: `about#${anchor}`, target: "_blank", "aria-description": says, "data-says": says }, text)
