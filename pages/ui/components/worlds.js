// The same table in four worlds, side by side and on one scale: no privacy, a curator who adds noise,
// everybody adding their own, with and without a shuffler. Green marks where noise is added. The bars are those of the table component.

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = stateOf(parentElement, () => ({ moves: [] }))
  if (!state.data || state.data.index !== data.index || state.waiting) state.shown = data.index
  Object.assign(state, { data, root, waiting: false })
  if (!state.draw) listen(state)
  state.draw()
  return leaving(state, parentElement)
}

function listen(state) {
  state.draw = eachFrame(() => build(state))
  state.follow = eachFrame(() => follow(state))
  state.watch = new ResizeObserver(state.draw)
  state.watch.observe(state.root)
  document.fonts?.ready.then(() => { state.look = null; state.draw() })
  const moved = ({ detail }) => {
    state.shown = detail.index
    if (detail.committed) state.waiting = true
    state.follow()
  }
  state.listeners = [["resize", state.draw], ["calm-epsilon", moved]]
  for (const [name, heard] of state.listeners) window.addEventListener(name, heard)
}

function build(state) {
  const { data, root } = state
  if (!root.clientWidth) return
  const look = JSON.stringify([data, root.clientWidth, innerHeight])
  if (state.look !== look) {
    state.look = look
    root.className = data.lecture ? "root lecture" : "root"
    root.style.setProperty("--size", `${letters(data)}px`)
    state.views = data.worlds.map(world => card(world, data))
    root.replaceChildren(...state.views.map(view => view.card))
    state.top = null
  }
  // A longer number may take a second line.
  number(state)
  const top = state.views[0].plot.offsetTop
  if (state.top !== top) measure(state)
  state.top = top
  follow(state)
}

const letters = data => data.lecture ? Math.max(22, innerHeight / 32) : 15

function card(world, data) {
  const number = h("b"), source = h("small"), plot = h("div", { class: "plot" })
  return {
    number, source, plot, world,
    card: h("section", { class: world.ours ? "world ours" : "world", "aria-label": world.title },
      h("div", { class: "names" }, h("h2", {}, world.title), h("span", { class: "number" }, number, ` ${data.unit}`), source),
      h("p", {}, world.text, h("strong", {}, world.promise)), picture(world.noise, world.picture), plot),
  }
}

// Charts take what is left above the price sentence and the settings bar.
function measure(state) {
  const { data } = state, phone = innerWidth <= 640, size = letters(data)
  const family = getComputedStyle(state.root).fontFamily
  const main = pageScroll()
  state.moves = state.views.map(({ plot, world }) => {
    const top = plot.getBoundingClientRect().top + main
    const foot = settingsBarHeight(state) + (data.lecture ? 16 : 94)
    const room = innerHeight - top - foot
    const height = phone ? 240 : Math.max(data.lecture ? 200 : 180, Math.min(room, data.lecture ? 2000 : 420))
    const svg = s("svg", { width: plot.clientWidth, height, role: "img", "aria-label": world.table.alt })
    plot.replaceChildren(svg)
    drawnStill(svg)
    return drawBars(svg, world.table, { width: plot.clientWidth, height, size, family, said: true, wraps: data.lecture })
  })
}

// How far off each is, now or with the epsilon that is just being chosen.
function number({ data, shown, views }) {
  for (const { number, source, world } of views ?? []) {
    const now = (shown === data.index ? null : world.steps[shown]) ?? world
    number.textContent = now.number
    source.textContent = now.source
  }
}

function follow(state) {
  const { data, shown } = state, away = shown !== data.index
  number(state)
  state.views?.forEach((view, i) => {
    const { table, steps } = view.world, step = steps[shown]
    const shifted = step && table.ghosts && table.ghosts.map(one => one.map((z, cell) => Math.max(0, table.true[cell] + step.spread * z)))
    state.moves[i]({
      true: table.true, reconstructed: table.reconstructed, worst: null, texts: table.texts, alt: table.alt,
      ghosts: shifted || null, faded: !!(away && step),
    })
  })
  state.root.dataset.ready = "1"
}

// People, who holds what they told, and the table that comes of it; what adds noise is green and bears ±.
function picture(noise, alt) {
  const theirs = ["people", "shuffled"].includes(noise)
  const svg = s("svg", { width: 300, height: 46, viewBox: "0 0 300 46", preserveAspectRatio: "xMinYMid", class: "picture", role: "img", "aria-label": alt })
  const people = s("g", { class: theirs ? "private" : "plain" }), signs = s("g", { class: "sign" })
  const sign = (x, y, r) => signs.append(s("path", { d: `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}M${x - r} ${y + r + 3}h${2 * r}` }))
  for (let i = 0; i < 5; i++) people.append(
    s("circle", { cx: 18 + 26 * i, cy: 14, r: 7 }),
    s("path", { d: `M${7 + 26 * i} 37a11 13 0 0 1 22 0z` }))
  const arrow = x => s("path", { d: `M${x} 24h34m-9-8 9 8-9 8`, class: "arrow" })
  if (theirs) for (let i = 0; i < 5; i++) sign(18 + 26 * i, 29, 3)
  if (noise === "curator") sign(214, 21, 6)
  svg.append(people, arrow(150),
    s("rect", { x: 194, y: 7, width: 40, height: 34, rx: 6, class: noise === "curator" ? "private box" : "box" }),
    ...noise === "shuffled" ? [s("path", { d: "M200 17c14 0 14 14 28 14M200 31c14 0 14-14 28-14", class: "arrow" })] : [],
    arrow(238),
    s("path", { d: "M278 38v-12h6v12zM286 38v-22h6v22zM294 38v-16h6v16z", class: "plain" }), signs)
  return svg
}
