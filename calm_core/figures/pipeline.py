"""Pictures in HTML that reflow from projector to phone: the pipeline, the line of privacy, odds."""

import base64
import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from calm_core.figures.theme import COLORS

BLUE, GREEN, GREY = (COLORS[c] for c in ("estimate", "accent", "true"))
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


def pipeline_html(stages: Iterable[Stage], boundary: str) -> str:
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


def boundary_html(text: str) -> str:
    """The line between people's devices and the collector."""
    return (
        f'<div role="note" style="display:flex;align-items:center;gap:.8rem;color:inherit">'
        f'<span style="flex:1;border-top:3px dashed {GREEN}"></span>'
        f'<strong style="font-size:1rem">{html.escape(text)}</strong>'
        f'<span style="flex:1;border-top:3px dashed {GREEN}"></span></div>'
    )


def odds_bars_html(
    shares: dict[str, float], sides: tuple[str, str], say: Callable[[str, float], str]
) -> str:
    """Rows of two bars that oppose each other, to the left a share and to the right what is left of 1.

    Parameters
    ----------
    shares : dict
        What each row is about, and the share to the left.
    sides : (str, str)
        What stands to the left and to the right.
    say : callable
        A row in words, for those who do not see it.
    """
    left, right = map(html.escape, sides)
    rows = [
        f'<span></span><b style="text-align:right;padding-right:.4rem">{left}</b>'
        f'<b style="padding-left:.4rem">{right}</b>'
    ]
    for name, share in shares.items():
        parts = [
            f'<span style="display:flex;align-items:center;gap:.5rem;flex-direction:{way}">'
            f'<i style="width:{round(75 * part, 1)}%;height:1.4rem;background:{color}"></i>'
            f"<span>{round(100 * part)}%</span></span>"
            for part, way, color in ((share, "row-reverse", BLUE), (1 - share, "row", GREY))
        ]
        rows.append(f"<span>{html.escape(name)}</span>{''.join(parts)}")
        rows[-1] = (
            f'<div role="img" aria-label="{html.escape(say(name, share))}" '
            f'style="display:contents">{rows[-1]}</div>'
        )
    return (
        '<div style="display:grid;grid-template-columns:max-content 1fr 1fr;gap:.4rem .2rem;'
        f'align-items:center">{"".join(rows)}</div>'
    )
