"""The page to step through, driven in a browser: keys, slider, tabs, predictions, and nothing that leaves the page."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from running import PAPER, run
from test_prediction import CASES

import adcli
from adcli.marking.prediction import judge_number
from adcli.notation.number_text import Digits
from adcli.render.step_sentences import Account, accounts

AT = {"x1": 2.0, "x2": 5.0}
OTHERS = {
    "shared": ("p = x*x; q = if(p > 1, p/p, y); p; q", {"x": 2.0, "y": 3.0}),
    "kinks": ("abs(x)*y + max(x, y) + floor(y)", {"x": 0.0, "y": 1.5}),
}

# What is to be seen of a step: its sentence, its row in the table, its node in the graph.
SEEN = """
const panel = [...document.querySelectorAll('[role=tabpanel]')].find((p) => p.checkVisibility());
const seen = (element) => element.checkVisibility({ visibilityProperty: true });
const texts = (root) => {
  const formulas = new Set();  // are as their attribute says
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let text = '';
  while (walker.nextNode()) {
    const formula = walker.currentNode.parentElement.closest('[data-said]');
    if (formulas.has(formula) || !seen(walker.currentNode.parentElement)) continue;
    text += formula ? formula.dataset.said : walker.currentNode.data;
    if (formula) formulas.add(formula);
  }
  return text.trim();
};
const rows = [...panel.querySelectorAll('tbody tr')];
const now = [...panel.querySelectorAll('.told > li.now')];
const nodes = [...panel.querySelectorAll('.node.now')];
return {
  place: texts(document.querySelector('.stepper:not([hidden]) .place')),
  tab: texts(document.querySelector('.stepper:not([hidden]) [role=tab][aria-selected=true]')),
  said: now.map((item) => texts(item.querySelector('.equation'))),
  all: now.map((item) => texts(item)),
  row: rows.filter((row) => row.classList.contains('now')).map((row) => [...row.cells].slice(1).map(texts)),
  current: rows.map((row, k) => row.getAttribute('aria-current') === 'step' ? k : -1).filter((k) => k >= 0),
  filled: rows.filter((row) => texts(row.cells[3])).length,
  target: now.map((item) => item.dataset.target),
  node: nodes.map((node) => node.dataset.node),
  numbers: nodes.map((node) => texts([...node.querySelectorAll('text')].at(-1))),
  edges: [...panel.querySelectorAll('.edge.now')].map((edge) => edge.dataset.edge).sort(),
  wanted: now.flatMap((item) => item.dataset.edges.split(',').filter(Boolean)).sort(),
  results: [...panel.querySelectorAll('.results')].map(texts)[0],
  asking: [...panel.querySelectorAll('.typed')].some(seen),
  verdict: [...panel.querySelectorAll('.verdict')].filter(seen).map(texts)[0] ?? '',
  focus: document.activeElement.className || document.activeElement.tagName,
  announced: document.querySelector('.stepper:not([hidden]) .announcement').textContent,
};
"""


@pytest.fixture(scope="module")
def write(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    folder = tmp_path_factory.mktemp("pages")

    def written(text: str, at: dict[str, float], name: str = "page") -> Path:
        file = folder / f"{name}.html"
        point = ",".join(f"{key}={x}" for key, x in at.items())
        assert 0 == run("eval", text, "--at", point, "--interactive", "-o", str(file)).code
        return file

    return written


@pytest.fixture
def page(browser: Browser, write: Callable[..., Path]) -> Iterator[Browser]:
    """The running example at its first step; at the end nothing was complained about and nothing has left the page."""
    file = write(PAPER, AT)
    browser.look(1280, 900)
    browser.open(file)
    yield browser
    assert ([], [file.as_uri()]) == (browser.complaints(), browser.requests())


def seen(browser: Browser) -> dict[str, Any]:
    return dict(browser.run(SEEN))


def told(text: str = PAPER, at: dict[str, float] = AT) -> list[Account]:
    return accounts(adcli.parse(text).trace(at), Digits(), "full", restart_numbers=True)


def focused(browser: Browser) -> str:
    return str(seen(browser)["focus"])


# --- steps -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_after_a_click_on_a_sweep_the_keys_mean_steps(page: Browser) -> None:
    page.click("[role=tab]:nth-child(4)")
    page.press("ArrowRight")
    assert ("Reverse y", "Step 2 of 9") == (seen(page)["tab"], seen(page)["place"])


def test_keys_lead_through_the_steps(page: Browser) -> None:
    assert "Step 1 of 7" == seen(page)["place"]
    for keys, place in [
        (["ArrowRight"], 2), (["ArrowRight", "ArrowRight"], 4), (["ArrowLeft"], 3), (["End"], 7), (["ArrowRight"], 7),
        (["Home"], 1), (["ArrowLeft"], 1),
    ]:  # fmt: skip
        page.press(*keys)
        assert f"Step {place} of 7" == seen(page)["place"]


def test_buttons_and_slider_lead_through_the_steps(page: Browser) -> None:
    page.click(".next")
    page.click(".next")
    assert "Step 3 of 7" == seen(page)["place"]
    page.click(".back")
    assert "Step 2 of 7" == seen(page)["place"]
    page.click(".slider")  # in its middle
    assert "Step 4 of 7" == seen(page)["place"]
    page.press("ArrowRight")
    assert "Step 5 of 7" == seen(page)["place"]
    assert ["5", "Step 5 of 7"] == page.run("const s = document.querySelector('.slider'); "
                                            "return [s.value, s.getAttribute('aria-valuetext')]")  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper", *OTHERS])
def test_sentence_row_and_node_belong_together_in_every_sweep(
    name: str, browser: Browser, write: Callable[..., Path]
) -> None:
    text, at = OTHERS.get(name, (PAPER, AT))
    browser.look(1280, 900)
    browser.open(write(text, at, name))
    for k, account in enumerate(told(text, at)):
        browser.click(f"[role=tab]:nth-child({k + 1})")
        assert account.short == seen(browser)["tab"]
        for place, line in enumerate(account.lines):
            found = seen(browser)
            assert [line.equation] == found["said"]
            working = " ".join(f"= {part}" for part in line.working)
            assert [[line.symbol, working, " ".join(f"= {part}" for part in line.numbers)]] == found["row"]
            assert [place] == found["current"]
            assert place + 1 == found["filled"]
            assert [line.explained.step.target] == found["target"] == found["node"]
            assert found["numbers"][0].endswith(f"= {line.numbers[-1]}")
            assert found["wanted"] == found["edges"]
            assert found["announced"].startswith(f"Step {place + 1} of {len(account.lines)}. {line.symbol}")
            assert found["results"] == ("" if line is not account.lines[-1] else "".join(account.results))
            browser.press("ArrowRight")
    assert [] == browser.complaints()


def test_numbers_that_are_not_computed_yet_are_not_to_be_seen(page: Browser) -> None:
    blank = "return [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .blank')].length"
    assert 5 == page.run(blank)
    page.press("End")
    assert 0 == page.run(blank)
    page.press("Home")
    assert 5 == page.run(blank)


def test_what_no_step_computes_is_shown_from_the_start(browser: Browser, write: Callable[..., Path]) -> None:
    browser.open(write("p = x; p; 3; y", {"x": 2.0, "y": 1.0}, "constant"))
    browser.click("[role=tab]:nth-child(4)")  # the adjoints of p
    numbers = "return [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .node')].map((n) => n.textContent)"
    assert [True] == [text.endswith("ȳ = 0") for text in browser.run(numbers) if "y = 1" in text]
    assert not browser.run("return document.querySelectorAll('[role=tabpanel]:not([hidden]) .blank').length")
    assert [] == browser.complaints()


def test_an_adjoint_in_two_parts_shows_the_first_part_first(page: Browser) -> None:
    page.click("[role=tab]:nth-child(4)")
    numbers = []
    for _ in range(9):
        found = seen(page)
        if found["node"] == ["x2"]:
            numbers += found["numbers"]
        page.press("ArrowRight")
    assert ["x̄2 = −0.284", "x̄2 = 1.716"] == numbers


@pytest.mark.slow
def test_the_steps_play_and_stop(page: Browser) -> None:
    page.press(" ")
    assert "Pause" == page.run("return document.querySelector('.play').textContent")
    end = time.monotonic() + 10
    while seen(page)["place"] == "Step 1 of 7" and time.monotonic() < end:
        time.sleep(0.1)
    assert "Step 2 of 7" == seen(page)["place"]
    page.press(" ")
    assert "Play" == page.run("return document.querySelector('.play').textContent")


# --- predictions -----------------------------------------------------------------------------------------------------


def test_a_prediction_hides_the_number_until_it_is_right(page: Browser) -> None:
    page.press("ArrowRight")
    page.click(".predict")
    page.click(".next")
    found = seen(page)
    assert ["v1 = log x1"] == found["said"]
    assert (True, "typed", "Step 3 of 7") == (found["asking"], found["focus"], found["place"])
    assert "0.693" not in str(found)
    assert 2 == found["filled"]
    for answer, verdict in [
        ("0.3", "Not yet: try again, or show it."), ("x", "Write a number, such as -0.284 or 1/2."),
        ("", "Write a number, such as -0.284 or 1/2."),
    ]:  # fmt: skip
        page.run("document.querySelector('.typed').value = ''")
        page.press(answer, "Enter")
        assert (verdict, True) == (seen(page)["verdict"], seen(page)["asking"])
    page.run("document.querySelector('.typed').value = ''")
    page.press("0.69", "Enter")
    found = seen(page)
    assert ("Right.", False, ["v1 = log x1 = log 2 = 0.693"]) == (found["verdict"], found["asking"], found["said"])
    assert "next" == found["focus"]


@pytest.mark.slow
def test_no_step_can_be_skipped_while_predicting(page: Browser) -> None:
    page.press("ArrowRight")
    page.click(".predict")
    for keys in (["End"], ["ArrowRight"], ["ArrowRight"]):
        page.press("Escape", *keys)
        assert "Step 3 of 7" == seen(page)["place"]
    assert "Type a number first, or show it." == seen(page)["verdict"]
    page.run("const s = document.querySelector('.slider'); s.value = 7; s.dispatchEvent(new Event('input'))")
    assert ("Step 3 of 7", True) == (seen(page)["place"], seen(page)["asking"])
    page.click("[role=tab]:nth-child(4)")
    assert ("Step 1 of 9", ["v̄5 = ȳ = 1"]) == (seen(page)["place"], seen(page)["said"])
    page.click("[role=tab]:nth-child(1)")
    assert ("Step 3 of 7", True) == (seen(page)["place"], seen(page)["asking"])
    page.click(".show")
    assert (["v1 = log x1 = log 2 = 0.693"], "Shown.") == (seen(page)["said"], seen(page)["verdict"])
    page.press("ArrowLeft", "ArrowLeft", "End")
    assert ("Step 4 of 7", True) == (seen(page)["place"], seen(page)["asking"])
    page.click(".predict")
    page.press("End")
    assert ("Step 7 of 7", False) == (seen(page)["place"], seen(page)["asking"])


@pytest.mark.slow
def test_a_whole_sweep_can_be_predicted_with_the_keyboard_alone(page: Browser) -> None:
    """No mouse: Tab to the sweeps, arrows to the last, Tab to the box, then numbers."""

    def tab_to(wanted: str) -> None:
        for _ in range(20):
            if focused(page) == wanted or page.run("return document.activeElement.getAttribute('role')") == wanted:
                return
            page.press("Tab")
        raise AssertionError(f"Tab never comes to {wanted}: {focused(page)}")

    tab_to("tab")
    page.press("ArrowLeft")
    assert ("Reverse y", "tab") == (seen(page)["tab"], page.run("return document.activeElement.getAttribute('role')"))
    tab_to("predict")
    page.press(" ", "Shift+Tab")
    assert "slider" == focused(page)
    page.press("ArrowRight")
    for place, line in enumerate(told()[3].lines[1:], 2):
        found = seen(page)
        assert (True, "typed") == (found["asking"], found["focus"])
        page.press(line.numbers[-1].replace("−", "-"), "Enter")
        assert ([line.equation], f"Step {place} of 9") == (seen(page)["said"], seen(page)["place"])
        page.press("Enter")
    assert "∂y/∂x1 = x̄1 = 5.5.∂y/∂x2 = x̄2 = 1.716." == seen(page)["results"]


def test_the_graph_whispers_no_number(page: Browser) -> None:
    every = "document.querySelectorAll('svg title, svg desc')"
    whispered = page.run(f"return [...{every}].map((e) => e.textContent).join()")
    assert "v1 = log x1" in whispered
    assert not [text for text in ("0.693", "10.693", "11.652", "0.284", "5.5", "1.716") if text in whispered]


def test_the_announcement_gives_no_hidden_number_away(page: Browser) -> None:
    page.press("ArrowRight")
    page.click(".predict")
    page.click(".next")
    assert seen(page)["announced"].startswith("Step 3 of 7. v1 = log x1")
    assert "0.693" not in seen(page)["announced"]
    page.press("0.693", "Enter")
    assert "= 0.693" in seen(page)["announced"]
    assert "polite" == page.run("return document.querySelector('.announcement').getAttribute('aria-live')")


def test_the_page_and_python_judge_alike(page: Browser) -> None:
    cases = [(text, truth, expected) for text, truth, expected in CASES]
    dice = random.Random(7)  # noqa: S311 - the same cases each time
    for _ in range(1500):
        scale = 10.0 ** dice.randint(-30, 30)
        truth = dice.choice([dice.uniform(-20, 20), dice.gauss(0, 1) * scale, dice.randint(-9, 9)])
        shown = f"{truth * dice.choice((1, 1, 1, 1.0005, 0.99, -1)):.{dice.randint(0, 6)}{dice.choice('fe')}}"
        text = dice.choice([shown, shown.replace("-", "−"), f"{dice.randint(-9, 9)}/{dice.randint(0, 9)}"])
        cases.append((text, float(truth), judge_number(text, truth)))
    found = page.run(
        "return arguments[0].map(([text, truth]) => judged(text, truth))",
        [[text, repr(truth)] for text, truth, _ in cases],
    )
    wrong = [(case, said) for case, said in zip(cases, found, strict=True) if case[2] != said]
    assert [] == wrong
    assert {"right", "coarse", "wrong", "unreadable"} == set(found)


# --- readers ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (390, "dark"), (1280, "light")])
def test_nothing_is_wider_than_the_window(page: Browser, width: int, scheme: str) -> None:
    page.look(width, 844, prefers_color_scheme=scheme)
    for k in range(4):
        page.click(f"[role=tab]:nth-child({k + 1})")
        page.press("End")
        assert page.run("return document.documentElement.scrollWidth <= window.innerWidth")
    light = page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert (scheme == "light") == light


@pytest.mark.slow
def test_a_long_expression_and_a_large_graph_scroll_inside_their_frames(
    browser: Browser, write: Callable[..., Path]
) -> None:
    browser.look(390, 844)
    browser.open(write("sum(i, 1, 20, sin(x*i)*y^i)", {"x": 1.0, "y": 1.0}, "large"))
    browser.press("End")
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
    inside = """
        const nodes = [...document.querySelectorAll('.node.now')];
        const node = nodes.find((n) => n.checkVisibility()).getBoundingClientRect();
        const frame = document.querySelector('[role=tabpanel]:not([hidden]) .picture').getBoundingClientRect();
        return node.right > frame.left && node.left < frame.right && node.bottom > frame.top && node.top < frame.bottom;
    """
    assert browser.run(inside)
    assert [] == browser.complaints()


def test_nothing_moves_where_that_is_not_wanted(page: Browser) -> None:
    moves = "return getComputedStyle(document.querySelector('.node rect')).transitionDuration"
    page.look(1280, 900)
    assert "0s" != page.run(moves)
    page.look(1280, 900, prefers_reduced_motion="reduce")
    assert "0s" == page.run(moves)


def test_everything_that_can_be_used_has_a_name(page: Browser) -> None:
    page.click(".predict")
    nameless = """
        return [...document.querySelectorAll('button, input, [role=tab], [tabindex="0"]')]
          .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim()))
          .map((e) => e.outerHTML);
    """
    assert [] == page.run(nameless)
    assert page.run("return [...document.querySelectorAll('[aria-controls]')].every((e) => "
                    "document.getElementById(e.getAttribute('aria-controls')))")  # fmt: skip


def test_a_hostile_label_is_text_and_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    label = "\"&lt 'img src onerror `$1` &amp"
    found = run("explain", "--interactive", "-o", str(file), stdin=f"{label}: x^2 @ x=3\nsecond: x @ x=1\n")
    assert 0 == found.code, found.err
    browser.look(1280, 900)
    browser.open(file)
    assert [label, "second"] == browser.run("return [...document.querySelectorAll('option')].map((o) => o.textContent)")
    assert browser.run("return document.querySelector('h1').textContent").startswith(f"{label}: x2")
    browser.run("const list = document.querySelector('select'); list.selectedIndex = 1; "
                "list.dispatchEvent(new Event('change'))")  # fmt: skip
    assert "Step 1 of 1" == seen(browser)["place"]
    assert ([], [file.as_uri()]) == (browser.complaints(), browser.requests())
