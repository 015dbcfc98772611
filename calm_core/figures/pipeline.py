"""Pictures in HTML that reflow from projector to phone: the pipeline, and Algorithm 1's candidates."""

import base64
import html
import math
from collections.abc import Iterable
from dataclasses import dataclass

from calm_core.figures.theme import COLORS
from calm_core.planning.algorithm1 import Candidate, Choice

BLUE, RED, GREEN, GREY = (COLORS[c] for c in ("estimate", "threshold", "accent", "true"))
FILLED = ' fill="currentColor"'
EDGE = "1px solid rgba(122,134,153,.35)"


@dataclass(frozen=True)
class Stage:
    """One box of the pipeline: a number, what it counts, and a drawing."""

    number: str
    label: str
    note: str
    drawing: str
    private: bool = False


def _drawing(name: str, color: str) -> str:
    """A small line drawing; decoration only. A picture by data address: inline SVG is filtered."""
    shapes = {
        "people": "".join(
            f'<circle cx="{12 + 16 * i}" cy="10" r="5"/><path d="M{4 + 16 * i} 28a8 8 0 0 1 16 0"/>'
            for i in range(3)
        ),
        "groups": "".join(
            f'<rect x="{2 + 19 * i}" y="4" width="15" height="24" rx="3"/>'
            f'<circle cx="{9.5 + 19 * i}" cy="11" r="2.5"/><circle cx="{9.5 + 19 * i}" cy="21" r="2.5"/>'
            for i in range(3)
        ),
        "reports": "".join(
            f'<rect x="{3 + 14 * i}" y="{3 + 14 * j}" width="11" height="11" rx="2"'
            f"{FILLED if (i * 3 + j * 5) % 4 == 1 else ''}/>"
            for i in range(4)
            for j in range(2)
        ),
        "views": '<rect x="4" y="3" width="26" height="18" rx="2"/>'
        '<rect x="20" y="11" width="34" height="18" rx="2"/>'
        '<path d="M20 11h10v10h-10z" fill="currentColor" fill-opacity=".35"/>',
        "marginals": "".join(
            f'<rect x="{4 + 10 * i}" y="{29 - h}" width="7" height="{h}" rx="1" fill="currentColor"/>'
            for i, h in enumerate((24, 9, 16, 5, 12))
        ),
    }
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 32" fill="none" '
        f'color="{color}" stroke="{color}" stroke-width="1.6">{shapes[name]}</svg>'
    )
    data = base64.b64encode(drawing.encode()).decode()
    return f'<img alt="" width="60" height="32" src="data:image/svg+xml;base64,{data}">'


def pipeline(stages: Iterable[Stage], boundary: str) -> str:
    """The run as a row of boxes joined by arrows, with the privacy boundary after the devices."""
    boxes, crossed = [], False
    for i, stage in enumerate(stages):
        if i:
            leaves = not stage.private and not crossed
            crossed = crossed or leaves
            note = f'<span class="calm-wall">{html.escape(boundary)}</span>' if leaves else ""
            boxes.append(
                f'<div class="calm-arrow{" calm-border" if leaves else ""}">{note}'
                '<span aria-hidden="true">➜</span></div>'
            )
        color = GREY if stage.private else BLUE
        boxes.append(
            f'<div class="calm-stage" style="border-top:4px solid {color}">'
            f"<span>{_drawing(stage.drawing, color)}</span>"
            f"<strong>{html.escape(stage.number)}</strong><span>{html.escape(stage.label)}</span>"
            f"<small>{html.escape(stage.note)}</small></div>"
        )
    return f'{PIPELINE_STYLE}<div class="calm-pipe" role="group" aria-label="pipeline">{"".join(boxes)}</div>'


PIPELINE_STYLE = f"""<style>
.calm-pipe {{ display:flex; align-items:stretch; gap:.4rem; }}
.calm-stage {{ flex:1 1 0; display:flex; flex-direction:column; gap:.1rem; padding:.8rem .8rem .9rem;
  border:{EDGE}; border-radius:.6rem; min-width:0; }}
.calm-stage strong {{ font-size:1.6rem; line-height:1.25; font-weight:650; }}
.calm-stage small {{ opacity:.75; line-height:1.35; }}
.calm-arrow {{ align-self:center; text-align:center; opacity:.9; position:relative; }}
.calm-arrow > span:last-child {{ opacity:.55; }}
.calm-border {{ align-self:stretch; display:flex; flex-direction:column; justify-content:center;
  border-left:3px dashed {GREEN}; padding-left:.4rem; margin-left:.2rem; max-width:6.5rem; gap:.5rem; }}
.calm-wall {{ font-size:.78rem; line-height:1.3; text-align:left; }}
@media (max-width: 800px) {{
  .calm-pipe {{ flex-direction:column; }}
  .calm-stage {{ display:grid; grid-template-columns:4.4rem auto 1fr; column-gap:.6rem;
    align-items:center; padding:.5rem .7rem; }}
  .calm-stage strong {{ font-size:1.25rem; }}
  .calm-stage small {{ grid-column:2 / 4; }}
  .calm-arrow > span:last-child {{ display:inline-block; transform:rotate(90deg); }}
  .calm-border {{ border-left:0; border-top:3px dashed {GREEN}; max-width:none; margin:.2rem 0;
    padding:.4rem 0 0; align-items:center; }}
}}
</style>"""


def candidate_tiles(choice: Choice, steps: int, theta: float, d: int, n: int) -> str:
    """One tile per view size with what the first `steps` comparisons have looked at.

    Noise and sampling error are bars on a logarithmic scale with theta as a mark; the tile of the
    comparison just made is outlined, and after the last one the pair chosen. View sizes up to d that
    the algorithm had no need to look at stay empty.
    """
    seen = choice.trace[:steps]
    now = seen[-1] if seen else None
    done = steps >= len(choice.trace)
    tiles = []
    for candidate in _with_unreached(choice, d):
        phases = {step.phase: step for step in seen if step.l == candidate.l}
        rows = [_row("noise k·NE", "noise" in phases, candidate.noise_error, theta)]
        chosen = done and candidate.l == choice.l
        coverage = phases.get("coverage")
        fits = "" if coverage is None else _tick(coverage.holds)
        looked = coverage is not None or "balance" in phases
        views = choice.m if chosen else candidate.covering if looked else None
        needed = "·" if views is None else f"{views:,}"
        limit = f"of at most {choice.max_views:,}" if looked else ""
        sampling = choice.m / n if chosen else candidate.sampling_error
        rows.append(
            f'<div class="calm-line"><span>views m</span><b>{needed}</b><small>{limit} {fits}</small></div>'
        )
        rows.append(_row("sampling m/n", chosen or "balance" in phases, sampling, theta))
        edge = f"3px solid {GREEN}" if chosen else EDGE
        if not done and now is not None and now.l == candidate.l:
            edge = f"3px solid {BLUE}"
        dim = "" if phases or chosen else "opacity:.45;"
        mark = "<b>chosen</b>" if chosen else ""
        tiles.append(
            f'<div class="calm-tile" style="border:{edge};{dim}"><div class="calm-head">'
            f"<strong>l = {candidate.l}</strong>{mark}</div>"
            f"<small>{candidate.cells:,.0f} cells per view</small>{''.join(rows)}</div>"
        )
    return f'{TILE_STYLE}<div class="calm-tiles" role="group" aria-label="view sizes">{"".join(tiles)}</div>'


def _with_unreached(choice: Choice, d: int) -> list[Candidate]:
    """The candidates looked at and, dim, the next sizes: at least four tiles where d allows."""
    looked = {candidate.l: candidate for candidate in choice.candidates}
    top = min(d, max(5, max(looked)))
    mean = looked[min(looked)].cells ** (1 / min(looked))
    sizes = range(min(looked), top + 1)
    return [looked.get(l) or Candidate(l, mean**l, math.nan) for l in sizes]  # noqa: E741


def _row(name: str, looked: bool, value: float | None, theta: float) -> str:
    """A named value with its bar from theta / 1000 to 1000 theta; empty before it is looked at."""
    if not looked or value is None:
        return (
            f'<div class="calm-line"><span>{name}</span><b>·</b></div><div class="calm-bar"></div>'
        )
    place = 50 + 50 * math.log10(max(value, 1e-12) / theta) / 3
    fine = value <= theta
    return (
        f'<div class="calm-line"><span>{name}</span><b>{value:.2g}</b>{_tick(fine)}</div>'
        f'<div class="calm-bar"><div style="width:{min(100, max(3, place)):.0f}%;'
        f'background:{BLUE if fine else RED}"></div><i title="theta"></i></div>'
    )


def _tick(fine: bool) -> str:
    # In the colour of the text: coloured signs this small lack contrast.
    return f"<b>{'✓' if fine else '✗'}</b>"


TILE_STYLE = """<style>
.calm-tiles { display:grid; grid-template-columns:repeat(auto-fill,minmax(11rem,1fr)); gap:.7rem; }
.calm-tile { border-radius:.6rem; padding:.7rem .9rem; }
.calm-head { display:flex; justify-content:space-between; align-items:baseline; }
.calm-head strong { font-size:1.2rem; }
.calm-tile small { opacity:.8; }
.calm-line { display:flex; gap:.4rem; align-items:baseline; margin-top:.45rem; }
.calm-line span { flex:1; opacity:.85; font-size:.9rem; }
.calm-bar { position:relative; height:.4rem; border-radius:.2rem; background:rgba(122,134,153,.18); }
.calm-bar > div { height:100%; border-radius:.2rem; }
.calm-bar > i { position:absolute; left:50%; top:-.2rem; height:.8rem; border-left:2px solid currentColor; }
</style>"""


def group_tiles(users: list[int], done: int, most: int = 120) -> str:
    """One small tile per group, filled once it has reported; at most `most` are drawn."""
    drawn = min(len(users), most)
    last = done * drawn / max(1, len(users))
    tiles = "".join(
        f'<span style="background:{BLUE if i < last else "rgba(122,134,153,.2)"}"></span>'
        for i in range(drawn)
    )
    reported = sum(users[:done])
    style = (
        "<style>.calm-groups{display:flex;flex-wrap:wrap;gap:.25rem}"
        ".calm-groups span{width:1.1rem;height:1.1rem;border-radius:.2rem}</style>"
    )
    text = f"{done:,} of {len(users):,} groups, {reported:,} reports"
    return f'{style}<div class="calm-groups" role="img" aria-label="{text}">{tiles}</div>'


def boundary(text: str) -> str:
    """The line between people's devices and the server."""
    return (
        f'<div role="note" style="display:flex;align-items:center;gap:.8rem;color:inherit">'
        f'<span style="flex:1;border-top:3px dashed {GREEN}"></span>'
        f'<strong style="font-size:1rem">{html.escape(text)}</strong>'
        f'<span style="flex:1;border-top:3px dashed {GREEN}"></span></div>'
    )
