"""What holds for every page, in light, in the dark, in a lecture and on a phone."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from calm_core.ingest.samples import SAMPLES
from pages.ui.navigation import LAB
from pages.words import data, marginals, plan
from pages.words.common import AWAY, PAGES
from pages.words.glossary import WORDS
from tests.app import test_words
from tests.browser import marks, test_compare, test_errors, test_learn, test_table
from tests.browser.conftest import (
    STRIP,
    TEXTS,
    above_the_strip,
    box_of,
    enter_lecture,
    evaluate,
    eventually,
    fills_the_room,
    fits_the_width,
    leave_lecture,
    read_from_the_back_row,
    resize,
    settle,
    wait_until,
)

# The best possible error in its drawer takes seconds; with fewer people and attributes it looks the same.
SMALLER = {"compare": "&d=4&k=2&n=4000"}
ALL = [*PAGES, "learn?lesson=coin&at=1"]
# What axe finds in colors: once in light and once in the dark.
IN_COLORS = ("color-contrast", "link-in-text-block")
SCROLLS = "scrollable-region-focusable"
# What a view of a page changes: its frame has been looked at.
STAGE = "[class*=st-key-stage_]"
# Words of the papers, at home on About, in Details and in lesson 6 only.
# Drawers where they are at home too: measures of the papers, and what leaves the app.
PAPERS = re.compile(r"Details: |Take it with you|Save |Share")
# What can be pressed.
ABLE = "a[href], button, select, textarea, summary, input, [role=slider], [role=tab], [role=radio], [role=switch]"
# Of that, what is smaller than a finger.
SMALL = """all => all.flatMap(element => {
    // What the keyboard passes by repeats what a larger control does: steps and crosses of a field.
    if (element.disabled || element.tabIndex < 0) return [];
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
    // A box is pressed on all of its label, a field on all of its frame.
    const whole = element.matches('input') && element.closest('label, [class^=react-aria-], [data-testid=stSlider] [role=group]') || element;
    const { width, height, right } = whole.getBoundingClientRect();
    // A link within a sentence is as high as its line.
    const within = getComputedStyle(whole).display === 'inline'
        && whole.parentElement.textContent.trim() !== whole.textContent.trim();
    if (width < 2 || height < 2 || right < 0 || within) return [];
    return height < 43.9 || width < 43.9 ? [[whole.outerHTML.slice(0, 300), width, height]] : [];
})"""
# Numbers that neither are followed by their unit nor stand under a title that names it.
UNITLESS = """() => {
    const says = text => /\\bpoints\\b/i.test(text.replace(/±\\s?[\\d.,]+\\s+points/g, ''));
    const titled = node => {
        for (let part = node; part; part = part.parentElement ?? part.getRootNode().host) {
            if (part.dataset?.testid === 'stMain' || part.tagName === 'BODY') return false;
            if (says(part.getAttribute('aria-label') || '')) return true;
            for (let i = 0, before = part.previousElementSibling; before && i < 3; i++, before = before.previousElementSibling)
                if (says(before.textContent)) return true;
        }
    };
    const texts = calmTexts();
    return texts.flatMap(([node, holder], i) =>
        [...node.data.matchAll(/±\\s?[\\d.,]*\\d/g)].filter(found => {
            const rest = node.data.slice(found.index + found[0].length) + ' ' + (texts[i + 1]?.[0].data ?? '');
            return !(/^\\s*points\\b/.test(rest) || says(node.data) || titled(holder));
        }).map(() => node.data.trim()));
}"""


def too_small(page) -> list:
    """What can be pressed and is smaller than a finger, through all shadow roots."""
    return page.locator(ABLE).evaluate_all(SMALL)


def violations(page, *rules: str, within: str = "html") -> list[dict]:
    """All that axe finds; by all its rules or by these; on the page or a part."""
    axe = Axe()
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
    options = {"resultTypes": ["violations"], "preload": False}
    # Of WCAG 2.2, and off unless asked for.
    options["rules"] = {"target-size": {"enabled": True}}
    if rules:
        options["runOnly"] = rules
    # KaTeX lays out formulas in boxes that scroll by a pixel; nothing in them needs the keyboard.
    # What passed is thirty times as much as what is asked for: it stays in the page.
    return page.evaluate(
        "async ([within, options]) =>"
        " (await axe.run({ include: [[within]], exclude: [['.katex-display']] }, options)).violations",
        [within, options],
    )


def serious(page, *rules: str, **how) -> list[str]:
    """What of that keeps people from using the page."""
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in violations(page, *rules, **how)
        if one["impact"] in ("serious", "critical")
    ]


def check_usable(page, *rules: str, **how) -> None:
    """Nothing keeps people from using the page, once its colors have come to rest."""

    def check() -> None:
        assert not serious(page, *rules, **how)

    eventually(check)


@pytest.mark.parametrize("name", ALL)
def test_a_page_can_be_read_and_used(visit, name):
    """One visit: in a lecture, in light, in the dark and from there on without motion, on a phone, and its views."""
    path = "" if name == "start" else name
    page = visit(f"{path}{'&' if '?' in path else '?'}presenter=1{SMALLER.get(name, '')}")
    look(page, name, "lecture")
    # The frame of a lecture is the same on all pages, and what it frames is that of the page.
    if name == "marginals":
        check_usable(page)
    check_filled(page, name)
    resize(page, 1920, 1080)
    check_filled(page, name)
    check_late_line(page, name)
    resize(page, *WIDE)
    leave_lecture(page)
    look(page, name, "light")
    check_usable(page)
    check_marks(page, name)
    drawers(page, name)
    at_the_foot(page, name, 72)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    settle(page)
    check_marks(page, name)
    resize(page, *PHONE)
    look(page, name, "phone")
    # The page is the same, its colors are not, and what does not fit may scroll: then the keyboard must reach it.
    if name == "marginals":
        check_usable(page)
    else:
        check_usable(page, *IN_COLORS, SCROLLS, within=STAGE)
    check_sizes(page)
    if name in ("start", "marginals"):
        eventually(lambda: test_table.fits_a_phone(page))
    at_the_foot(page, name, 64)
    resize(page, 640, 360)
    at_the_foot(page, name, 64)
    other_views(page, name)
    editors(page, name)


# Where every picture ends once it is scrolled to.
PICTURES = """all => {
    const ends = all.filter(one => one.checkVisibility()).map(one => {
        one.scrollIntoView({ block: 'end' });
        return one.getBoundingClientRect().bottom;
    });
    document.querySelector('[data-testid=stMain]').scrollTo(0, 0);
    return ends;
}"""
# What a window is wide and high.
WIDE, PHONE = (1280, 720), (390, 844)
WITH_STRIP = [*LAB, "worlds", "compare"]
# What a lecture says in one number; worlds have one each, as have methods.
ONE_NUMBER = ("start", "plan", "collect", "marginals", "errors")


# What a lecture is about fills the room.
FILLS = {
    "learn": test_learn.all_cards_are_seen,
    "learn?lesson=coin&at=1": lambda page: fills_the_room(page, ".card"),
    "collect": lambda page: fills_the_room(page, ".plot svg"),
    "compare": test_compare.rows_are_read,
    "start": test_table.table_fills_the_room,
    "marginals": test_table.table_fills_the_room,
    "errors": test_errors.pairs_fill_the_room,
    "worlds": test_compare.worlds_fill_the_room,
}


def check_filled(page, name: str) -> None:
    """In a lecture: the picture is large, above the settings bar, and read from the back row."""
    if name in FILLS:
        eventually(lambda: FILLS[name](page))


# A line that comes late, as an alert does, above all that the page shows.
LATER = """() => document.querySelector("[class*='st-key-stage_']").prepend(
    Object.assign(document.createElement("div"), { id: "later", style: "height: 90px" }))"""


def check_late_line(page, name: str) -> None:
    """In a lecture: what comes late does not push a picture under the settings bar."""
    picture = {"collect": ".plot svg", "errors": ".box table"}.get(name)
    if picture:
        page.evaluate(LATER)
        eventually(lambda: above_the_strip(page, picture))
        page.evaluate("document.getElementById('later').remove()")


def look(page, name: str, mode: str) -> None:
    """One title, texts of a size that can be read, numbers with their units, words that explain themselves."""

    def check() -> None:
        assert page.locator("[data-testid=stException]").count() == 0
        assert page.locator("h1:visible").count() == 1
        # What is said where the server is away is large for the back row, and only there.
        away = page.get_by_role("alert", include_hidden=True).filter(has_text=AWAY)
        assert away.get_attribute("class") == ("root lecture" if mode == "lecture" else "root")
        texts = evaluate(page, TEXTS)
        if mode == "lecture":
            read_from_the_back_row(page)
            numbers = page.locator(".number:visible, .calm-headline:visible")
            assert name not in ONE_NUMBER or numbers.count() == 1
        if mode == "phone":
            assert not [(text, size) for text, size, chart in texts if chart and size < 13.9]
        if mode == "light" and name not in ("about",):
            assert not papers_words(texts)
        assert page.locator("[data-testid=stSidebar]").count() == 0
        if name in marks.WITH_TRUTH:
            assert not [text for text, _, chart in texts if chart and text in ("0", "1")], "no, yes"
        # True is named before reconstructed, in keys and beside rows.
        named = [
            text
            for text, _, chart in texts
            if chart and re.match("(true|reconstructed)( %)?$", text)
        ]
        assert not named or named[0].startswith("true")
        segments = page.locator(f".st-key-view_{page_of(name)}")
        if mode == "light" and segments.count():
            box = box_of(segments)
            assert box["y"] + box["height"] <= WIDE[1] - 72, "above the settings bar"
        if name in ("start", "marginals"):
            assert re.search(
                "(Precise|Rough|Unusable)$", page.locator(".verdict").first.inner_text()
            )
        assert not page.evaluate(UNITLESS)

    eventually(check)
    dotted_words(page, name, mode)


def check_marks(page, name: str) -> None:
    """What is drawn stands out from its ground; true and reconstructed differ in shape."""
    if name in marks.WITH_MARKS:
        marks.stand_out(page, marks.WITH_MARKS[name])
    if name in marks.WITH_TRUTH:
        marks.true_and_released_differ_in_shape(page)


def drawers(page, name: str) -> None:
    """What stands in the closed drawers of a page is worded as the rest; they are closed again.

    By keys: after a click words that have the focus would not show what they mean.
    """
    if name == "about":
        return
    closed = page.locator("[data-testid=stExpander] details:not([open]) > summary")
    names = [text for text in closed.all_inner_texts() if not PAPERS.search(text)]
    for told in names:
        drawer = (
            page.locator("[data-testid=stExpander] summary")
            .filter(has_text=told.split("\n")[-1])
            .first
        )
        drawer.press("Enter")
        settle(page)
        eventually(lambda told=told: check_wording(page, told))
        drawer.press("Enter")
        settle(page)


def check_sizes(page) -> None:
    """On a phone: all that can be pressed is as large as a finger, and nothing scrolls sideways."""

    def check() -> None:
        assert not too_small(page), page.url
        fits_the_width(page)

    eventually(check)


def page_of(name: str) -> str:
    """The page of an address."""
    return name.partition("?")[0]


def papers_words(texts: list) -> list[str]:
    """Texts with words of the papers where they are not at home, or with another word for a thing."""
    # The drawers that hold the papers' measures, and samples whose rows are visits.
    quoted = "Details: "
    facts = {data.table_facts(n=one.n, unit=one.unit, d=one.d) for one in SAMPLES.values()}
    others = (test_words.PAPERS, test_words.OTHER_WORDS)
    shown = (text for text, *_ in texts if not text.startswith(quoted) and text not in facts)
    return [text for text in shown if any(words.search(text) for words in others)]


def at_the_foot(page, name: str, high: int) -> None:
    """The settings bar is at the foot, where the page leaves room for it, and there is one epsilon."""
    if name not in WITH_STRIP:
        return
    size = page.viewport_size

    def check() -> None:
        box = box_of(page.locator(STRIP))
        assert box["height"] <= high and round(box["y"] + box["height"]) == size["height"]
        # What pages leave free for it is what it takes.
        told = "getComputedStyle(document.documentElement).getPropertyValue('--settings-bar')"
        assert page.evaluate(told) == f"{box['height']:g}px"
        fits_the_width(page)
        assert page.locator("h1:visible").count() == 1
        assert page.locator("input[type=range][id*=epsilon]:visible").count() <= 1
        # A picture that is scrolled to ends above the settings bar.
        pictures = page.locator("svg[role=img], .js-plotly-plot")
        assert max(pictures.evaluate_all(PICTURES), default=0) <= box["y"]

    eventually(check)


# Pages whose secondary views are seen in a lecture too.
VIEWS = {"plan": plan.VIEWS, "marginals": marginals.VIEWS}


def other_views(page, name: str) -> None:
    """Every secondary view, in light, on a phone, wide and in a lecture: its words, units and marks, its buttons, what axe finds."""
    views = page.locator(f".st-key-view_{page_of(name)} button")
    if views.count():
        page.emulate_media(color_scheme="light")
    sizes = [PHONE, WIDE]
    for at in range(1, views.count()):
        view, before = views.nth(at), page.url
        told, place = view.inner_text(), box_of(view)
        view.click()
        wait_until(page, "before => location.href !== before", arg=before)
        expect(view).to_have_attribute("aria-checked", "true")
        settle(page)
        if name in VIEWS and page.viewport_size["width"] == WIDE[0]:
            assert box_of(view) == place, "the switch stays where it was pressed"
        for size in sizes:
            resize(page, *size)
            if size == PHONE:
                check_sizes(page)
                if re.search("view=(stages|plays)", page.url) and name == "marginals":
                    eventually(lambda: test_table.fits_a_phone(page))
            else:
                eventually(lambda told=told: check_wording(page, told))
                marks.stand_out(page)
                check_usable(page, within=STAGE)
                if name in VIEWS:
                    enter_lecture(page)
                    eventually(lambda: read_from_the_back_row(page))
                    leave_lecture(page)
        # The next view is opened in the window that is there.
        sizes.reverse()


def editors(page, name: str) -> None:
    """On Data what a drawer of the card of attributes opens can be used; it is closed again."""
    if name != "data":
        return
    page.emulate_media(color_scheme="light")
    resize(page, *WIDE)
    for view in ("seen", "order", "values"):
        page.locator(f".st-key-open_{view} button").click()
        wait_until(page, "view => location.search.includes(`view=${view}`)", view)
        settle(page)
        eventually(lambda view=view: check_wording(page, view))
        check_usable(page, within=STAGE)
        page.locator(f".st-key-open_{view} button").click()
        wait_until(page, "!location.search.includes('view=')")
        settle(page)


def check_wording(page, view: str) -> None:
    """No words of the papers, and no number without its unit."""
    assert not papers_words(evaluate(page, TEXTS)), view
    assert not page.evaluate(UNITLESS), view
    assert page.locator("[data-testid=stException]").count() == 0, view


# Every dotted word that is seen: where it leads, what it says, whether the keyboard reaches it.
DOTTED = """() => [...document.querySelectorAll('a.term')].filter(word => word.checkVisibility()).map(word =>
    [word.getAttribute('href'), word.dataset.says, word.target, word.tabIndex,
     getComputedStyle(word).textDecorationStyle])"""
WITH_TERMS = ["start", "learn", *LAB, "compare", "worlds"]


def dotted_words(page, name: str, mode: str) -> None:
    """Words of the glossary are dotted on the pages of the Lab; there are none in a lecture."""
    if mode != "lecture" and name in WITH_TERMS:
        # Below the fold they may come after the rest, and their looks with a change of the theme.
        page.locator("a.term:visible").first.wait_for()
        wait_until(page, f"({DOTTED})().every(word => word[4] === 'dotted')")
    dotted = page.evaluate(DOTTED)
    assert not (dotted and mode == "lecture")
    for href, says, target, tab, line in dotted:
        word = WORDS[href.removeprefix("about#")]
        assert (says, target, tab, line) == (word.says, "_blank", 0, "dotted")
    if dotted and mode in ("light", "phone"):
        word = page.locator("a.term:visible").first
        told = "getComputedStyle(document.activeElement, '::after')"

        def says() -> None:
            # Parts of a page that look again by themselves may draw the word anew, and take the focus with it.
            word.focus()
            assert page.evaluate(f"{told}.content").strip('"') == dotted[0][1].replace('"', '\\"')
            if mode == "phone":
                assert page.evaluate(f"{told}.position") == "fixed", "it fits the window"

        eventually(says)
        page.evaluate("document.activeElement.blur()")
