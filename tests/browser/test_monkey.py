"""Random presses on everything that can be pressed: no traceback and no dead end, whatever the order.

CALM_MONKEY=2000 presses so many times; the suite takes a shorter walk. A walk that failed is walked
again with the seed it prints.
"""

import os
import random

import pytest
from playwright.sync_api import TimeoutError

from pages.words.common import PAGES

PRESSES = int(os.environ.get("CALM_MONKEY", "12"))
SEED = int(os.environ.get("CALM_MONKEY_SEED", "20261121"))
# Everything that can be pressed, typed into or moved, through all shadow roots; not what leaves the
# app, and no file is asked of a monkey.
PRESS = """([kind, at, text]) => {
    const found = [];
    const walk = root => root.querySelectorAll('*').forEach(element => {
        if (element.shadowRoot) walk(element.shadowRoot);
        const able = element.matches('button, a[href], select, input, [role=slider], [role=button], [tabindex="0"]');
        if (!able || element.disabled || element.type === 'file' || element.target === '_blank') return;
        if (element.closest('[data-testid=stLinkButton], [data-testid=stMainMenu], [data-testid=stFileUploader]')) return;
        if (element.href && !element.href.startsWith(location.origin)) return;
        if (element.checkVisibility()) found.push(element);
    });
    walk(document.body);
    if (!found.length) return 'nothing';
    const element = found[at % found.length];
    if (element.tagName === 'SELECT') {
        element.selectedIndex = at % element.options.length;
        element.dispatchEvent(new Event('change', { bubbles: true }));
    } else if (element.type === 'range') {
        element.value = +element.min + (at % (1 + (+element.max - +element.min)));
        element.dispatchEvent(new Event('input', { bubbles: true }));
        element.dispatchEvent(new Event('change', { bubbles: true }));
    } else if (element.type === 'text' || element.type === 'number') {
        element.focus();
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(element, text);
        element.dispatchEvent(new Event('input', { bubbles: true }));
        element.dispatchEvent(new Event('change', { bubbles: true }));
        element.blur();
    } else if (kind === 'key') {
        element.focus();
        const key = ['ArrowLeft', 'ArrowRight', 'Enter', ' ', 'Escape', 'PageDown', 'n', 'l'][at % 8];
        element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }));
        element.dispatchEvent(new KeyboardEvent('keyup', { key, bubbles: true, composed: true }));
    } else element.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true }));
    return element.outerHTML.slice(0, 160);
}"""
TYPED = ["", "0", "-1", "2", "3", "1e9", "0,5", "many", "<b>x</b>", "1000", "99999999999999999999"]


# Where the runs that were asked for are over; one that does not end is a dead end.
RESTS = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
    && calmRuns.begun && calmRuns.begun === calmRuns.asked && !calmRuns.on"""


@pytest.mark.timeout(120 + 10 * PRESSES)
def test_no_press_ends_in_a_traceback(visit, server):
    pick = random.Random(SEED)
    page = visit("?d=6&n=3000")
    # Patience for a busy machine: what takes minutes is a dead end.
    page.set_default_timeout(180_000)
    problems, last = [], []
    page.on("pageerror", lambda error: problems.append(str(error)))
    for press in range(PRESSES):
        # Now and then a fresh start: most of what can be pressed changes the page.
        if press % 10 == 9:
            name = pick.choice([*PAGES])
            page.goto(f"{server}/{'' if name == 'start' else name}")
            page.wait_for_function(RESTS)
        what = [pick.choice(["click", "click", "key"]), pick.randrange(10**6), pick.choice(TYPED)]
        last = [*last[-5:], page.evaluate(PRESS, what)]
        page.wait_for_timeout(120)
        try:
            page.wait_for_function(RESTS)
        except TimeoutError as error:
            raise AssertionError((SEED, press, page.url, last)) from error
        trace = page.locator("[data-testid=stException]")
        assert trace.count() == 0, (SEED, press, page.url, last, trace.first.inner_text())
        assert not problems, (SEED, press, page.url, last, problems)
        assert last[-1] != "nothing", (SEED, press, page.url, last)
