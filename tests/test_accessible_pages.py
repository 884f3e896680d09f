"""Every page that is written can be used by everybody: with a keyboard, a screen reader, in light, dark and print.

What matters is looked at in the browser by `accessible.js`: the parts of a page and their names, headings in order,
words for pictures, headers of tables, boxes that a keyboard scrolls, a focus that is seen, and the contrast of the
colours that are really there.  Where axe-core is at hand, all of its rules are asked too: ADCLI_AXE=…/axe.min.js.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import Browser
from drawn import THOROUGH
from running import PAPER, run

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
HOMEWORK = SAMPLES / "homework"
CHECKS = (Path(__file__).parent / "accessible.js").read_text(encoding="utf-8")
AXE = os.environ.get("ADCLI_AXE", "")
AT = ("--at", "x1=2,x2=5", "-q")
LSTM = (
    "i = sigmoid(wi*x + ui*h + bi); f = sigmoid(wf*x + uf*h + bf); o = sigmoid(wo*x + uo*h + bo); "
    "g = tanh(wg*x + ug*h + bg); c1 = f*c + i*g; h1 = o*tanh(c1); h1; c1 "
    "@ x=0.5, h=0.1, c=-0.3, wi=0.2, ui=0.4, bi=0.1, wf=0.3, uf=-0.2, bf=1, wo=0.5, uo=0.6, bo=-0.1, wg=0.7, ug=-0.8, bg=0"  # noqa: E501
)
ANSWER = "v1 = log x1 = 0.693\nv2 = x1*x2 = 11\nv3 = sin x2 = -0.959\nv4 = 10.693\ny = 11.652\nx1bar = 2.5\n"
COMMANDS = {
    "trace": ("eval", PAPER, *AT),
    "more": ("eval", PAPER, *AT, "--hessian"),
    "value": ("eval", PAPER, *AT, "--no-trace"),
    "cell": ("eval", LSTM, "-q"),
    "several": ("eval", "--file", str(SAMPLES / "paper.txt"), "-q"),
    "kink": ("eval", "abs(x)*[y]", "--at", "x=0,y=2"),
    "explain": ("explain", PAPER, *AT),
    "expand": ("expand", PAPER, "-q"),
    "diff": ("diff", PAPER, "-q"),
    "taylor": ("taylor", "exp(x)*y", "--at", "x=1,y=2", "--along", "x=1,y=1"),
    "functions": ("functions",),
    "sheet": ("new", "--seed", "7", "--level", "2", "--level", "4"),
    "check": ("check", "ANSWER", "--problem", f"{PAPER} @ x1=2, x2=5", "--mode", "reverse"),
    "checks": ("check", "ANSWER", "--key", str(HOMEWORK / "key.toml")),
    "python": ("trace", f"{SAMPLES / 'python' / 'paper.py'}:f", "--at", "x1=2,x2=5"),
    "doctor": ("doctor",),
    "schemas": ("schema",),
    "as-read": ("check", "ANSWER", "--problem", f"{PAPER} @ x1=2, x2=5", "--mode", "reverse", "--as-read"),
}
STEPPERS = {"step": ("eval", PAPER, *AT), "steps": ("eval", "--file", str(SAMPLES / "paper.txt"), "-q")}
# Every page is looked at in the hardest look; in the others, one of each build, as pages share their styles.
BUILDS = ("more", "cell", "several", "functions", "sheet", "checks", "step", "steps", "summary", "report")
LOOKS = [("light", 1100, ""), ("dark", 360, ""), ("dark", 1100, "print")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of every kind that some command writes."""
    folder = tmp_path_factory.mktemp("pages")
    answer = folder / "answer.txt"
    answer.write_text(ANSWER, encoding="utf-8")
    found = {}
    for name, command in COMMANDS.items():
        made = run(*(str(answer) if word == "ANSWER" else word for word in command), "--format", "html")
        assert made.out.startswith("<!doctype html>"), made.err
        found[name] = folder / f"{name}.html"
        found[name].write_text(made.out, encoding="utf-8")
    for name, command in STEPPERS.items():
        found[name] = folder / f"{name}.html"
        assert 0 == run(*command, "--interactive", "-o", str(found[name])).code
    key, submissions = HOMEWORK / "key.toml", HOMEWORK / "submissions"
    assert 4 == run("grade", str(submissions), "--key", str(key), "-o", str(folder / "grades"), "-q").code
    found |= {"summary": folder / "grades" / "summary.html", "report": folder / "grades" / "reports" / "ivo.html"}
    assert 0 == run("help", "--format", "html", "-o", str(folder / "site"), "-q").code
    found |= {f"manual-{page.stem}": page for page in sorted((folder / "site").glob("*.html"))}
    return found


def test_a_page_of_every_kind_is_looked_at(pages: dict[str, Path]) -> None:
    from adcli.cli.options import COMMANDS as ALL

    writing = {
        name for name in ALL if "html" in run(name, "--help").out.partition("--format")[2].partition("]")[0].split("|")
    }
    looked_at = {command[0] for command in COMMANDS.values()} | {"help"}
    assert writing <= looked_at, writing - looked_at


@pytest.mark.parametrize(("scheme", "width", "media"), LOOKS)
def test_everybody_can_use_every_page(
    scheme: str, width: int, media: str, pages: dict[str, Path], browser: Browser
) -> None:
    browser.look(width, 900, media, prefers_color_scheme=scheme)
    found = {}
    for name, page in pages.items():
        if width < 400 or name in BUILDS or (THOROUGH and not name.startswith("manual-")):
            browser.open(page)
            found[name] = browser.run(CHECKS)
    assert {} == {name: complaints for name, complaints in found.items() if complaints}


SPOILT: list[tuple[str, Callable[[str], str], str]] = [
    ("trace", lambda text: text.replace(' lang="en"', ""), "the page has no language"),
    ("trace", lambda text: text.replace("<main>", "<div>").replace("</main>", "</div>"), "the page has 0 main parts"),
    ("trace", lambda text: text.replace("<h1>", "<h2>").replace("</h1>", "</h2>"), "begin with a heading of level 1"),
    ("several", lambda text: text.replace("<h2>", "<h4>").replace("</h2>", "</h4>"), "a level of headings is left out"),
    ("trace", lambda text: text.replace('<th scope="col"', "<th"), "a header of nothing"),
    ("cell", lambda text: text.replace('tabindex="0"', ""), "a keyboard does not scroll this"),
    ("trace", lambda text: text.replace("outline: 3px solid var(--blue)", "outline: none"), "the focus is not seen"),
    ("trace", lambda text: text.replace("--ink: #1b1f24", "--ink: #8c8c8c"), "a text has a contrast of 3.36"),
    ("trace", lambda text: text.replace("thead th {", "thead th { opacity: .5;"), "a text has a contrast of 3."),
    ("step", lambda text: text.replace("text { fill: #1b1f24", "text { fill: #999999"), "a text has a contrast of 2.8"),
    ("step", lambda text: text.replace('aria-label="Step"', ""), "no name: <input"),
    ("step", lambda text: text.replace("<title>Comp", "<desc>Comp"), "no words for a picture"),
    ("manual-pictures", lambda text: text.replace(' alt="', ' data-alt="'), "no words for a picture"),
    ("many", lambda text: text.replace(" 2\"", "\""), "twice: DIV"),
    ("trace", lambda text: text.replace("</main>", '<i id="a"></i><i id="a"></i></main>'), "two elements are called a"),
    ("trace", lambda text: text.replace("</main>", '<p style="width: 3000px">a</p></main>'), "the page is too wide"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "spoil", "told"), SPOILT, ids=[told for _, _, told in SPOILT])
def test_the_checks_find_what_is_spoilt(
    name: str, spoil: Callable[[str], str], told: str, pages: dict[str, Path], browser: Browser, tmp_path: Path
) -> None:
    text = pages["summary" if name == "many" else name].read_text(encoding="utf-8")
    file = tmp_path / "page.html"
    file.write_text(spoil(text), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != text
    browser.look(1100 if name != "cell" else 360, 900, prefers_color_scheme="light")
    browser.open(file)
    assert any(told in complaint for complaint in browser.run(CHECKS))


@pytest.mark.skipif(not AXE, reason="ADCLI_AXE does not name an axe.min.js of axe-core")
@pytest.mark.parametrize(("scheme", "width", "media"), LOOKS)
def test_axe_finds_nothing(scheme: str, width: int, media: str, pages: dict[str, Path], browser: Browser) -> None:
    rules = Path(AXE).read_text(encoding="utf-8")
    asked = """
    const done = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ['violations'] }).then((found) => done(
      found.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 150)}`)), (error) => done([String(error)]));
    """
    browser.look(width, 900, media, prefers_color_scheme=scheme)
    browser.post("/timeouts", script=60_000)
    found = {}
    for name, page in pages.items():
        browser.open(page)
        browser.post("/goog/cdp/execute", cmd="Runtime.evaluate", params={"expression": rules})
        found[name] = browser.post("/execute/async", script=asked, args=[])
    assert {} == {name: complaints for name, complaints in found.items() if complaints}
