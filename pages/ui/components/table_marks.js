// What the drawings of a table share: text that fits, the axis, the legend, dots that do not cover
// each other. Sizes are pixels of the screen; nothing is ever scaled.
const ruler = document.createElement("canvas").getContext("2d")

function widthOf(text, type, weight = 400) {
  ruler.font = `${weight} ${type.size}px ${type.family}`
  return ruler.measureText(text).width
}

// The text, shortened where it is wider than `width`.
function shortened(text, width, type, weight = 400) {
  if (widthOf(text, type, weight) <= width) return text
  let length = text.length
  while (length > 1 && widthOf(text.slice(0, length) + "…", type, weight) > width) length--
  return text.slice(0, length).trimEnd() + "…"
}

// At most two lines; null where even these would have to be shortened.
function inLines(text, width, type) {
  if (widthOf(text, type) <= width) return [text]
  const words = text.split(" ")
  for (let cut = words.length - 1; cut > 0; cut--) {
    const lines = [words.slice(0, cut).join(" "), words.slice(cut).join(" ")]
    if (lines.every(line => widthOf(line, type) <= width)) return lines
  }
  return null
}

function written(text, x, y, type, { anchor = "middle", mark = "", weight, full, turned } = {}) {
  const made = s("text", {
    x, y, "font-size": type.size, "text-anchor": anchor, class: mark, "font-weight": weight,
    transform: turned ? `rotate(-90 ${x} ${y})` : undefined,
  }, text)
  if (full && full !== text) made.append(s("title", {}, full))
  return made
}

// Where dots at `along` stand across, so that none covers another while there is room: the first place
// that is free, from the middle outwards.
function swarm(along, radius, reach) {
  const placed = [], step = 2.06 * radius, most = Math.max(0, Math.floor(reach / step))
  return along.map(at => {
    let across = 0
    for (let i = 0; i <= 2 * most; i++) {
      across = Math.ceil(i / 2) * step * (i % 2 ? 1 : -1)
      if (placed.every(([a, b]) => (a - at) ** 2 + (b - across) ** 2 >= 4 * radius * radius)) break
      if (i === 2 * most) across = 0
    }
    placed.push([at, across])
    return across
  })
}

const place = (element, attributes) => { for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value) }
// As `share` in words: neither nobody nor everybody where it is some.
const exactPercent = share => {
  const size = 100 * Math.abs(share)
  if (size && size < .1) return size < .01 ? "<0.01%" : `${+(100 * share).toPrecision(2)}%`
  return share >= .9995 && share < 1 ? ">99.9%" : `${(100 * share).toFixed(1)}%`
}
// As `whole_percent` in words: few are not nobody.
const wholePercent = share => share > 0 && share < .005 ? "<1%" : `${Math.round(100 * share)}%`

// Lines of the axis from bottom to top with their texts; the one at zero is stronger.
function drawAxis(svg, axis, Y, left, right, type, { most = Infinity } = {}) {
  let tick = axis.tick
  while ((axis.top - axis.bottom) / tick > most) tick *= 2
  for (let i = Math.ceil(axis.bottom / tick - 1e-6); i * tick <= axis.top + 1e-6; i++) {
    const y = Y(i * tick)
    svg.append(s("line", { x1: left, x2: right, y1: y, y2: y, class: i === 0 ? "zero" : "tick" }))
    svg.append(written(wholePercent(i * tick), left - type.size * .5, y + type.size * .34, type, { anchor: "end", mark: "muted tick-text" }))
  }
}

// True first, then reconstructed, then the dots, which are not named where there is no room and it is `said` beside;
// gives the text beside the dots, which may change.
function drawLegend(svg, data, left, type, { ghosts, matrix, room, said }) {
  const f = type.size, y = f * .55, texts = data.texts
  const wide = words => words.filter(Boolean).reduce((sum, word) => sum + widthOf(word, type) + f * 3.8, -f * 1.5)
  const marks = [data.true && texts.true, data.reconstructed && texts.reconstructed], all = [...marks, ghosts && texts.ghosts_short]
  if (said && wide(all) > room) ghosts = false
  // Large letters in a narrow card.
  const tight = wide(marks) > room, long = f * (tight ? 1 : 1.7), block = f * (tight ? 1 : 1.6), gap = f * (tight ? .8 : 1.7)
  let x = Math.max(0, Math.min(left, room - wide(ghosts ? all : marks)))
  const put = (width, drawing, text) => {
    const shown = written(text, x + width + f * .5, y + f * .34, type, { anchor: "start" })
    const item = s("g", { class: "key" }, ...drawing(x), shown)
    svg.append(item)
    x += width + f * .5 + widthOf(text, type) + gap
    return { item, shown }
  }
  if (data.true) put(long, x => [s("line", { x1: x, x2: x + long, y1: y, y2: y, class: "true", "stroke-width": f * .21 })], texts.true)
  if (data.reconstructed) put(block, x => data.style === "pale"
    ? [s("rect", { x, y: y - f * .42, width: block, height: f * .9, class: "pale" }), s("rect", { x, y: y - f * .48, width: block, height: f * .26, class: "cap" })]
    : [s("rect", { x, y: y - f * .46, width: block, height: f * .92, rx: 2, class: "bar" })], texts.reconstructed)
  if (data.guess?.length) put(f * .9, x => [s("circle", { cx: x + f * .45, cy: y, r: f * .4, class: "guess" })], texts.guess)
  if (data.low?.length) put(f * .6, x => [s("path", { d: `M${x + f * .3} ${y - f * .45}v${f * .9}M${x + f * .1} ${y - f * .45}h${f * .4}M${x + f * .1} ${y + f * .45}h${f * .4}`, class: "whisker", "stroke-width": 2 })], texts.interval)
  let dots = null
  if (ghosts) {
    const text = x + f * 2.1 + widthOf(texts.ghosts, type) > room ? texts.ghosts_short : texts.ghosts
    dots = put(f * 1.6, x => [0, 1, 2].map(i => s("circle", { cx: x + f * (.3 + .5 * i), cy: y, r: f * .26, class: "ghost" })), text)
  }
  if (matrix && x + widthOf(texts.yes + texts.no, type) + f * 4.2 <= room) {
    put(f * .75, x => [s("circle", { cx: x + f * .37, cy: y, r: f * .37, class: "yes" })], texts.yes)
    put(f * .75, x => [s("circle", { cx: x + f * .37, cy: y, r: f * .19, class: "no" })], texts.no)
  }
  return dots
}

// Dots of the other collections, moved by `moveGhosts`.
function ghostDots(svg, count, radius) {
  const dots = Array.from({ length: count }, () => s("circle", { r: radius, class: "ghost" }))
  const group = s("g", { class: "ghosts" }, ...dots)
  svg.append(group)
  return { group, dots }
}

// `scale` turns a share into a place along the axis, `put` a place and an offset into coordinates.
// What lies beyond the axis sits on its end: below because shares are not negative, above hollow.
function moveGhosts(mark, now, i, axis, scale, reach, put) {
  if (!mark.ghosts) return
  const shown = now.ghosts ? now.ghosts.map(one => one[i]) : []
  const places = shown.map(share => scale(Math.min(Math.max(share, axis.bottom), axis.top)))
  const across = swarm(places, mark.radius, reach)
  mark.ghosts.dots.forEach((dot, j) => {
    if (j >= shown.length) return dot.setAttribute("visibility", "hidden")
    place(dot, { ...put(places[j], across[j]), visibility: "visible" })
    dot.classList.toggle("beyond", shown[j] > axis.top)
  })
}

// Where a bar ends beside the true line, and the rim around the line, in pixels that grow with the share: a bar
// that is longer always shows beyond the line, however little it is longer.
function beside(truth, reconstructed, half, f) {
  if (reconstructed <= truth) return { end: reconstructed }
  const end = Math.max(reconstructed, truth + half + f * .12)
  return { end, rim: [truth - half - f * .13, Math.min(truth + half + f * .13, end - f * .12)] }
}

// The rim is there where the line stands on its bar; beside it, none is needed.
function moveRim(line, rim, axis) {
  line.setAttribute("visibility", rim ? "visible" : "hidden")
  if (!rim) return
  const at = Math.abs(rim[0] + rim[1]) / 2
  place(line, { [`${axis}1`]: at, [`${axis}2`]: at, "stroke-width": rim[1] - rim[0] })
}

// What is said where the pointer rests on a cell.
function describeCell(mark, now, truth, reconstructed) {
  const parts = [mark.cell]
  if (truth !== undefined) parts.push(`${now.texts.true} ${exactPercent(truth)}`)
  if (reconstructed !== undefined) parts.push(`${now.texts.reconstructed} ${exactPercent(reconstructed)}`)
  mark.title.textContent = parts.join("; ")
}

// Nothing moves on load: marks are at their places before they may ease.
function drawnStill(svg) {
  svg.classList.add("still")
  requestAnimationFrame(() => requestAnimationFrame(() => svg.classList.remove("still")))
}
