// Algorithm 1 as scales: noise to the left, sampling to the right, theta a fence around both. Python
// has sent what follows for every theta and epsilon; here it is only looked up. Mounted twice: the
// scales keep the state, the words at the side ("side") show it and ask for steps.
const BEAT = 1600

export default function (component) {
  return component.data.part === "side" ? side(component) : scales(component)
}

// ---- The scales

function scales({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const S = stateOf(root, () => ({ root, at: 0, index: 0, epsilon: null, sent: 0 }))
  S.tell = () => {
    S.sent = tellPython(parentElement, setStateValue, "move", { theta: now(S).value, at: S.at })
  }
  hear(S, data)
  if (!S.rows) build(S)
  label(S)
  S.draw()
  return () => leave(S)
}

const now = S => S.data.thetas[S.index]
// What follows for the theta or the epsilon that is just being chosen.
const view = S => (S.epsilon === null ? now(S) : { ...now(S), ...S.data.epsilons[S.epsilon] })
const last = S => view(S).reasons.length + 1

// Python was told of a move, and what came from it since is older.
const unheard = S => S.sent && S.data.heard !== S.sent

// New data: where Python has not yet heard of the last move, or is yet to be told of it, that move stands.
function hear(S, data) {
  const value = S.data && now(S).value, ended = S.data && S.at >= last(S)
  S.data = data
  S.epsilon = null
  if (S.waiting || unheard(S)) {
    S.index = data.thetas.reduce((best, step, i) =>
      Math.abs(step.value - value) < Math.abs(data.thetas[best].value - value) ? i : best, 0)
    S.at = ended ? last(S) : Math.min(S.at, last(S))
    return
  }
  if (S.dragging) return
  if (S.playing && data.at !== S.at) play(S, false)
  S.index = data.theta
  S.at = Math.min(data.at, last(S))
}

function build(S) {
  const words = S.data.words
  S.draw = eachFrame(() => draw(S))
  S.zone = h("div", { class: "zone" })
  S.fences = ["left", "right"].map(which => fence(S, which))
  S.rows = new Map()
  S.area = h("div", { class: "rows" }, S.zone)
  S.heads = h("div", { class: "heads" },
    h("span", { class: "noise" }, words.noise, h("i", {}, words.big)), h("span", { class: "unit" }, words.unit),
    h("span", { class: "sampling" }, words.sampling, h("i", {}, words.many)), h("span"))
  S.chart = h("div", { class: "chart" }, S.heads, S.area, ...S.fences)
  S.reasons = h("div", { class: "reasons", "aria-hidden": "true" })
  S.root.classList.add("scales")
  S.root.replaceChildren(S.chart, S.reasons)
  S.onplay = () => play(S, !S.playing)
  S.onask = event => ask(S, event.detail)
  S.onepsilon = event => { S.epsilon = event.detail.index; S.draw() }
  S.onsize = () => { fit(S); S.draw() }
  window.addEventListener("calm-play", S.onplay)
  window.addEventListener("calm-plan-ask", S.onask)
  window.addEventListener("calm-epsilon", S.onepsilon)
  window.addEventListener("resize", S.onsize)
  S.watch = new ResizeObserver(S.onsize)
  S.watch.observe(S.root.parentElement ?? S.root)
  watchStage(S.watch)
  // Not before the columns around have their places.
  requestAnimationFrame(S.onsize)
}

function leave(S) {
  play(S, false)
  playing(false)
  window.removeEventListener("calm-play", S.onplay)
  window.removeEventListener("calm-plan-ask", S.onask)
  window.removeEventListener("calm-epsilon", S.onepsilon)
  window.removeEventListener("resize", S.onsize)
  S.watch.disconnect()
}

// One row for every size there may be; those not looked at have no height.
function label(S) {
  const { bars, words, lecture, fixed } = S.data
  S.root.classList.toggle("lecture", lecture)
  S.root.classList.toggle("fixed", fixed)
  S.chart.setAttribute("role", "group")
  S.chart.setAttribute("aria-label", words.chart)
  S.fences.forEach((fence, i) => {
    fence.tabIndex = fixed ? -1 : 0
    fence.setAttribute("aria-label", [words.left, words.right][i])
  })
  for (const [l, row] of S.rows) if (!(l in bars)) { row.all.remove(); S.rows.delete(l) }
  for (const l of Object.keys(bars)) {
    if (S.rows.has(l)) continue
    const row = { noise: bar("noise"), sampling: bar("sampling"), questions: h("small"), groups: h("div", { class: "groups" }) }
    row.small = h("small", { class: "narrow" })
    row.all = h("div", { class: "row", "data-l": l, role: "group" }, row.noise.all,
      h("div", { class: "center" }, h("b", {}, l), row.questions, row.small), row.sampling.all, row.groups)
    S.rows.set(l, row)
    S.area.append(row.all)
  }
}

function bar(which) {
  const text = h("span"), fill = h("div", { class: "fill" })
  return { all: h("div", { class: `bar ${which}` }, fill, text), fill, text }
}

// What the window leaves above the settings bar; a phone scrolls.
function fit(S) {
  const narrow = innerWidth <= 640
  S.text = S.data.lecture ? Math.max(22, Math.round(innerHeight / 30)) : narrow ? 15 : 17
  S.root.style.setProperty("--text", `${S.text}px`)
  const scrolled = pageScroll()
  const top = S.root.getBoundingClientRect().top + scrolled
  const below = settingsBarHeight(S) + (S.data.lecture ? 12 : 76)
  S.chart.style.height = narrow ? "" : `${Math.max(S.data.lecture ? 240 : 300, Math.min(innerHeight - top - below, S.data.lecture ? 4000 : 640))}px`
}

function draw(S) {
  if (!S.text) fit(S)
  const { data } = S, shown = view(S), at = Math.min(S.at, last(S))
  const [left, center] = S.heads.children, wide = left.getBoundingClientRect().width, gap = center.getBoundingClientRect().width
  if (!wide) return
  const end = S.dragging ? S.end : shown.end, unit = wide / end
  const result = at === last(S) ? shown.result : null
  const lost = new Map(shown.reasons.slice(0, at).flatMap(reason => reason.rows.map(l => [String(l), `${reason.head} ${reason.text}`])))
  const rows = shown.rows.map(String)
  S.area.classList.toggle("dense", S.area.clientHeight < rows.length * 3.1 * S.text)
  for (const [l, row] of S.rows) {
    const won = result && String(result.l) === l, bars = data.bars[l]
    const noise = shown.noise?.[l] ?? bars.noise, sampling = won ? result.sampling : bars.sampling
    const groups = won ? result.groups : bars.groups
    const fate = won ? "won" : lost.has(l) ? "lost" : "open"
    row.all.classList.toggle("out", !rows.includes(l))
    row.all.dataset.state = fate
    row.all.classList.toggle("hand", String(data.hand) === l && fate !== "won")
    row.questions.textContent = bars.questions
    row.groups.textContent = row.small.textContent = groups
    length(S, row.noise, noise, unit, wide, end, shown.wrong)
    length(S, row.sampling, sampling, unit, wide, end, shown.wrong)
    row.all.setAttribute("aria-label", `${l} ${bars.questions}: ${data.words.noise} ${noise[1]}, ` +
      `${data.words.sampling} ${sampling[1]}, ${groups}. ${won ? result.title : lost.get(l) ?? ""}`)
  }
  const away = Math.min(shown.wrong * unit, wide)
  S.zone.style.left = `${wide - away}px`
  S.zone.style.width = `${2 * away + gap}px`
  S.fences.forEach((fence, i) => {
    fence.style.transform = `translateX(${i ? wide + gap + away : wide - away}px)`
    fence.querySelector(".pill").textContent = `θ ${shown.text}`
    fence.setAttribute("aria-valuenow", S.index)
    fence.setAttribute("aria-valuemax", data.thetas.length - 1)
    fence.setAttribute("aria-valuetext", shown.text + (result ? `: ${result.title}` : ""))
  })
  say(S, shown, at)
}

// A bar longer than the scale runs to its end and is torn there; its number says how long it is, and
// stands where the fence does not cross it.
function length(S, bar, [wrong, text], unit, wide, end, theta) {
  const long = Math.max(2, Math.min(wrong * unit, wide)), line = theta * unit, shown = `${text} ${S.text}`
  if (bar.shown !== shown) {
    bar.shown = shown
    bar.text.textContent = text
    bar.room = bar.text.offsetWidth
  }
  const { room } = bar, inside = long > room + 14
  let from = inside ? long - 8 - room : long + 6
  if (line > from - 5 && line < from + room + 5) from = inside ? Math.min(8, line - room - 6) : line + 6
  if (inside && from < 4) from = 4
  bar.all.classList.toggle("torn", wrong > end)
  bar.all.classList.toggle("beside", !inside)
  bar.all.dataset.inside = wrong <= theta
  bar.fill.style.width = `${long}px`
  bar.text.style.setProperty("--from", `${from}px`)
}

// ---- The fence

function fence(S, which) {
  const handle = h("div", { class: `fence ${which}`, role: "slider", "aria-valuemin": 0, "aria-orientation": "horizontal" },
    h("span", { class: "pill" }))
  handle.onpointerdown = event => {
    if (S.data.fixed || event.button) return
    event.preventDefault()
    handle.focus({ preventScroll: true })
    handle.setPointerCapture(event.pointerId)
    play(S, false)
    S.dragging = true
    S.end = view(S).end
    S.root.classList.add("dragging")
  }
  handle.onpointermove = event => {
    if (!S.dragging) return
    const box = S.area.getBoundingClientRect(), [left, center] = S.heads.children
    const wide = left.getBoundingClientRect().width, x = event.clientX - box.left
    const away = which === "left" ? wide - x : x - wide - center.getBoundingClientRect().width
    const wrong = Math.min(Math.max(0, away / wide) * S.end, .95 * S.end)
    move(S, S.data.thetas.reduce((best, step, i) =>
      Math.abs(step.wrong - wrong) < Math.abs(S.data.thetas[best].wrong - wrong) ? i : best, 0))
  }
  handle.onpointerup = handle.onpointercancel = () => { if (S.dragging) settle(S) }
  handle.onkeydown = event => {
    if (S.data.fixed || event.ctrlKey || event.metaKey || event.altKey) return
    // Sideways the handle goes where the arrow points; up is always looser.
    const out = which === "left" ? "ArrowLeft" : "ArrowRight", inward = which === "left" ? "ArrowRight" : "ArrowLeft"
    const by = { [out]: 1, ArrowUp: 1, [inward]: -1, ArrowDown: -1, Home: -99, End: 99 }[event.key]
    if (!by) return
    event.preventDefault()
    play(S, false)
    move(S, Math.max(0, Math.min(S.data.thetas.length - 1, S.index + by)))
    // Keys come in bursts: Python hears where they end.
    clearTimeout(S.waiting)
    S.waiting = setTimeout(() => settle(S), 250)
  }
  return handle
}

function move(S, index) {
  const ended = S.at >= last(S)
  S.index = index
  S.epsilon = null
  S.at = ended ? last(S) : Math.min(S.at, last(S))
  S.draw()
}

function settle(S) {
  clearTimeout(S.waiting)
  S.waiting = 0
  S.dragging = false
  S.root.classList.remove("dragging")
  S.draw()
  // Whoever goes back before the answer would else be brought to where they were.
  if (S.index !== S.data.theta || unheard(S)) S.tell()
}

// ---- Steps

function step(S, by) {
  const at = Math.max(0, Math.min(last(S), S.at + by))
  if (at === S.at) return
  S.at = at
  S.draw()
  S.tell()
}

function play(S, on) {
  if (!on && !S.playing) return
  clearInterval(S.playing)
  S.playing = 0
  if (on && lessMotion()) step(S, last(S) - S.at)
  else if (on) {
    if (S.at >= last(S)) { S.at = 0; S.draw() }
    step(S, 1)
    S.playing = setInterval(() => { step(S, 1); if (S.at >= last(S)) play(S, false) }, BEAT)
    if (S.at >= last(S)) return play(S, false)
  }
  S.draw()
}

function ask(S, what) {
  if (what === "play") play(S, !S.playing)
  else if (what === "hello") S.draw()
  else { play(S, false); step(S, what === "next" ? 1 : -1) }
}

// ---- The words

function say(S, shown, at) {
  const told_ = { reasons: shown.reasons.slice(0, at), at, last: last(S), playing: !!S.playing }
  told_.refused = shown.refused
  if (at === last(S) && shown.result) {
    told_.why = shown.result.why
    // What the title does not say yet.
    told_.title = shown.result.title === S.data.told ? "" : `${shown.result.title}.`
  }
  S.reasons.replaceChildren(...reasons(told_))
  window.dispatchEvent(new CustomEvent("calm-plan", { detail: told_ }))
  playing(told_.playing, at === last(S))
}

const reasons = told_ => told_.reasons.map(({ head, text, weak }) =>
  h("p", { class: weak ? "reason weak" : "reason" }, h("b", {}, head), ` ${text}`))

function side({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const S = stateOf(root, () => ({ root }))
  S.data = data
  if (!S.lead) {
    const { words } = data, tell = what => () => window.dispatchEvent(new CustomEvent("calm-plan-ask", { detail: what }))
    S.lead = h("p", { class: "lead", "aria-live": "polite" })
    S.reasons = h("div", { class: "reasons", "aria-live": "polite" })
    S.back = h("button", { onclick: tell("back"), "aria-label": `← ${words.back}` }, "← ", words.back)
    S.play = h("button", { class: "main", onclick: tell("play") })
    S.next = h("button", { onclick: tell("next"), "aria-label": `${words.next} →` }, words.next, " →")
    root.classList.add("side")
    root.replaceChildren(S.lead, S.reasons, h("div", { class: "buttons", role: "group", "aria-label": words.controls }, S.back, S.play, S.next))
    S.heard = event => words_(S, event.detail)
    window.addEventListener("calm-plan", S.heard)
  }
  window.dispatchEvent(new CustomEvent("calm-plan-ask", { detail: "hello" }))
  if (!S.told) words_(S, { reasons: [], at: 0, last: 1 })
  return () => window.removeEventListener("calm-plan", S.heard)
}

function words_(S, told_) {
  const key = JSON.stringify(told_)
  if (S.told === key) return
  S.told = key
  const { words, lead } = S.data, ended = told_.at === told_.last && told_.last > 0 && (told_.why || told_.refused)
  const [head, text] = ended ? [told_.title, told_.why ?? told_.refused] : lead
  S.lead.replaceChildren(...[head && h("b", {}, head), head && " ", text].filter(Boolean))
  S.reasons.replaceChildren(...reasons(told_))
  S.back.disabled = told_.at === 0
  S.next.disabled = told_.at >= told_.last
  S.play.textContent = told_.playing ? `❚❚ ${words.pause}` : `▶ ${told_.at >= told_.last ? words.again : words.play}`
}
