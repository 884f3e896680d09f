"""A headless Chromium for tests, spoken to in the WebDriver protocol: JSON over HTTP, nothing to install for Python."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

LONGEST = 60  # seconds for one answer
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
KEYS = {
    "Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Home": "\ue011", "End": "\ue010", "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014", "Shift": "\ue008", "Backspace": "\ue003",
}  # fmt: skip


class Browser:
    """One page in one window."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.session = ""

    def call(self, method: str, path: str, **body: Any) -> Any:
        """What the driver answers; its errors are failures of the test."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            connection.request(method, f"/session{path}", json.dumps(body) if method == "POST" else None)
            answer = connection.getresponse()
            value = json.load(answer)["value"]
        finally:
            connection.close()
        assert 200 == answer.status, value["message"]
        return value

    def post(self, path: str, **body: Any) -> Any:
        return self.call("POST", f"/{self.session}{path}", **body)

    def open(self, page: Path) -> None:
        """Loads a page from its file; what was logged before is forgotten."""
        self.post("/url", url="about:blank")
        self.complaints()
        self.requests()
        self.post("/url", url=page.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script's `return`."""
        return self.post("/execute/sync", script=script, args=list(arguments))

    def press(self, *keys: str) -> None:
        """Presses keys by their names, or types texts."""
        actions = []
        for key in keys:
            shifted = key.startswith("Shift+")
            name = key.removeprefix("Shift+")
            strokes = [KEYS[name]] if name in KEYS else list(name)
            actions += [{"type": "keyDown", "value": KEYS["Shift"]}] if shifted else []
            actions += [{"type": kind, "value": stroke} for stroke in strokes for kind in ("keyDown", "keyUp")]
            actions += [{"type": "keyUp", "value": KEYS["Shift"]}] if shifted else []
        self.post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def click(self, selector: str) -> None:
        """A click of the mouse on the first element that is to be seen."""
        found = self.run(
            "return [...document.querySelectorAll(arguments[0])].find((e) => e.checkVisibility())", selector
        )
        self.post(f"/element/{found[ELEMENT]}/click")

    def look(self, width: int, height: int, media: str = "", **features: str) -> None:
        """The size of the window, `print` as the medium, and what the reader prefers: `prefers_color_scheme="dark"`."""
        self.post("/goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params={
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        })  # fmt: skip
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.post("/goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params={"media": media, "features": wanted})

    def pdf(self) -> bytes:
        """The page as it is printed, without headers of the browser."""
        made = self.post("/goog/cdp/execute", cmd="Page.printToPDF", params={"printBackground": True})
        return b64decode(made["data"])

    def complaints(self) -> list[str]:
        """What the page has written to its console since the last look."""
        return [entry["message"] for entry in self.post("/se/log", type="browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last look."""
        found = [json.loads(entry["message"])["message"] for entry in self.post("/se/log", type="performance")]
        return [m["params"]["request"]["url"] for m in found if m["method"] == "Network.requestWillBeSent"]


@contextmanager
def started() -> Iterator[Browser]:
    """A browser; the test is skipped where there is none."""
    driver = shutil.which("chromedriver")
    program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    if driver is None or program is None:
        pytest.skip("there is no Chromium with its driver here (apt-get install chromium chromium-driver)")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, subprocess.Popen(
        [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:  # fmt: skip
        try:
            assert child.stdout is not None
            ports = (re.search(r"started successfully on port (\d+)", line) for line in child.stdout)
            browser = Browser(next(int(found[1]) for found in ports if found))
            wanted = {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": program, "args": [*FLAGS, f"--user-data-dir={profile}"]},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }
            browser.session = browser.call("POST", "", capabilities={"alwaysMatch": wanted})["sessionId"]
            browser.post("/goog/cdp/execute", cmd="Emulation.setFocusEmulationEnabled", params={"enabled": True})
            yield browser
            browser.call("DELETE", f"/{browser.session}")
        finally:
            child.terminate()
