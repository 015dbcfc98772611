"""What is drawn stands out from its ground, for eyes of every kind, and true is told from reconstructed by its shape."""

import io
import re

import numpy as np
from PIL import Image

from tests.app.test_colors import SEEN, contrast
from tests.browser.conftest import evaluate, eventually

# Every mark and every text of a picture, through all shadow roots: what it is, its colors, what lies under it.
DRAWN = """() => {
    const marks = [], texts = [];
    // Help for the eye that carries nothing: lines of the scale, stripes, tints behind printed numbers, tracks of
    // bars, rims, zones, bands around a line; pale bars, whose cap carries them; and ± in the color of the ground, on what is measured itself.
    const helps = '.tick, .stripe, .worst, .pale, .gap, .ground, .zone, .bar:has(> *), .sign *,'
        + '.gridlayer *, .bg, .zerolinelayer *, .ticks, .heatmaplayer *, .legendtoggle, .shapelayer *, .fills *';
    const clear = color => color === 'none' || /^rgba\\(.*, 0\\)$/.test(color);
    const up = node => node.parentElement ?? node.getRootNode().host;
    const opacity = node => { let all = 1; for (; node; node = up(node)) all *= getComputedStyle(node).opacity; return all; };
    const ground = node => {
        for (node = up(node); node; node = up(node)) {
            const found = getComputedStyle(node).backgroundColor;
            if (!node.ownerSVGElement && !clear(found)) return found;
        }
    };
    const faces = (look, all) => [[look.fill, look.fillOpacity * all], [look.stroke, look.strokeOpacity * all]]
        .filter(([color]) => !clear(color));
    const under = text => {
        const at = text.getBoundingClientRect(), x = at.x + at.width / 2, y = at.y + at.height / 2;
        return [...text.ownerSVGElement.querySelectorAll('rect')].filter(rect => {
            const box = rect.getBoundingClientRect();
            return rect.checkVisibility({ visibilityProperty: true }) && box.x < x && x < box.right && box.y < y && y < box.bottom
                && rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
        }).flatMap(rect => faces(getComputedStyle(rect), opacity(rect)).slice(0, 1));
    };
    const look = (node, shadow) => {
        const svg = node.ownerSVGElement, box = node.getBoundingClientRect();
        if (box.width + box.height < 1 || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
        const style = getComputedStyle(node), name = `${node.tagName}.${node.getAttribute('class') ?? ''}`;
        if (shadow && node.matches('td button'))
            return texts.push([node.textContent, [[style.color, 1]], [style.backgroundColor, []]]);
        if (node.matches('text') && node.textContent.trim() && !node.matches(helps))
            return texts.push([node.textContent, [[style.fill, style.fillOpacity * opacity(node)]], [ground(node), under(node)]]);
        if (node.matches(helps) || node.closest('defs, clipPath, [role=button]')) return;
        if (svg?.matches('[role=img], .main-svg') && node.matches('rect, line, circle, path, polygon, polyline, ellipse')) {
            const found = faces(style, opacity(node));
            if (found.length) marks.push([name, found, [ground(node), []]]);
        } else if (!svg && (shadow || node.closest('.stHtml')) && box.width && box.height && !node.textContent.trim() && !node.childElementCount
            && !node.matches('input, select, .sign, svg') && !clear(style.backgroundColor))
            marks.push([name, [[style.backgroundColor, opacity(node)]], [ground(node), []]]);
    };
    const walk = (root, shadow) => root.querySelectorAll('*').forEach(node => {
        look(node, shadow);
        if (node.shadowRoot) walk(node.shadowRoot, true);
    });
    walk(document.querySelector('[data-testid=stMain] [class*=st-key-stage_]') ?? document.querySelector('[data-testid=stMain]'), false);
    return { marks, texts };
}"""
# Lines of the truth and the reconstructed bars they cross, with their places in the window.
CROSSED = """all => {
    document.querySelector('[data-testid=stMain]').scrollTo(0, 0);
    const box = part => (({ x, y, width, height }) => [x, y, width, height])(part.getBoundingClientRect());
    return all.map(column => {
        const line = column.querySelector('.true'), bar = column.querySelector('.cap') ?? column.querySelector('.bar');
        return { line: box(line), thick: +line.getAttribute('stroke-width'), bar: box(bar), picture: box(column.ownerSVGElement) };
    }).filter(({ line, bar }) => [line, bar].every(([x, y, width, height]) =>
        y > 0 && y + height < document.documentElement.clientHeight - 80));
}"""
# How many marks a page has at least, and where true and reconstructed stand beside each other. Compare's are bands.
WITH_MARKS = {
    "start": 90, "data": 8, "plan": 1, "collect": 90, "marginals": 18, "errors": 6, "worlds": 150, "compare": 0,
}  # fmt: skip
WITH_TRUTH = ("start", "collect", "marginals", "worlds")


def channels(color: str) -> np.ndarray:
    """Red, green, blue (0 to 255) and opacity of a computed color."""
    values = [float(value) for value in re.findall(r"-?[\d.]+(?:e-?\d+)?", color)]
    if color.startswith("color(srgb"):
        values[:3] = [255 * value for value in values[:3]]
    return np.array([*values[:3], values[3] if len(values) > 3 else 1.0])


def blend_over(color: str, opacity: float, ground: np.ndarray) -> np.ndarray:
    """A color laid over a ground."""
    *rgb, alpha = channels(color)
    return alpha * opacity * np.array(rgb) + (1 - alpha * opacity) * ground


def as_hex(rgb: np.ndarray) -> str:
    """A color as #rrggbb."""
    return "#" + "".join(f"{round(value):02x}" for value in rgb)


def too_faint(drawn: list, least: float, eyes: dict) -> list[tuple]:
    """What stands out less than `least` from what it lies on; of several faces the plainest counts."""
    found = []
    for name, faces, (ground, between) in drawn:
        below = channels(ground)[:3]
        for color, opacity in between:
            below = blend_over(color, opacity, below)
        for seen, how in eyes.items():
            best = max(
                contrast(as_hex(blend_over(color, opacity, below)), as_hex(below), how)
                for color, opacity in faces
            )
            if best < least:
                found.append((name, seen, round(best, 2), faces, as_hex(below)))
    return found


def stand_out(page, least: int = 0) -> None:
    """Marks stand out by 3 : 1 for all eyes, texts of pictures by 4.5 : 1; every verdict has its sign and its word."""

    def check() -> None:
        drawn = evaluate(page, DRAWN)
        assert len(drawn["marks"]) >= least
        assert not too_faint(drawn["marks"], 3, SEEN)
        assert not too_faint(drawn["texts"], 4.5, {"all colors": SEEN["all colors"]})
        for verdict in page.locator(".verdict:visible").all():
            told = verdict.inner_text().strip()
            assert re.search("(Precise|Rough|Unusable)$", told), told
            assert told[0] in "●◐○" or verdict.locator(".sign").count() == 1, told

    eventually(check)


def true_and_released_differ_in_shape(page) -> None:
    """In the picture as it is seen: the true line is thin, reaches beyond its bar, and both stand out, for all eyes."""

    def check() -> None:
        columns = page.locator("g.column").evaluate_all(CROSSED)
        shot = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
        pixels = np.asarray(shot, dtype=float)
        assert len(columns) >= 4

        def at(x: float, y: float) -> str:
            return as_hex(pixels[int(y), int(x)])

        for column in columns:
            (x, y, width, height), (left, top, wide, high) = column["line"], column["bar"]
            assert column["thick"] <= 8 and width > wide + 8, column
            end, middle = x + (left - x) / 2, y + height / 2
            ground = at(*(place + 1 for place in column["picture"][:2]))
            for how in SEEN.values():
                assert contrast(at(end, middle), ground, how) >= 3, column
                # A line with its pale edge may lie over the bar, where both say the same.
                if high > 2 and abs(top + high / 2 - middle) > column["thick"] + 2:
                    assert contrast(at(left + 2, top + high / 2), ground, how) >= 3, column

    eventually(check)
