"use strict";

// --- the rule for a typed number: the same as adcli/homework/prediction.py, which a test compares with this ---------

const LONGEST = 60;
const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3})|\*10\^\(?([+-]?\d{1,3})\)?)?$/;

// The number that a text shows, as digits times ten to a power, or null.
function numeral(text) {
  if ([...text].length > LONGEST) return null;
  const plain = text.replace(/[\u00b7\u00d7]/g, "*").replace(/\u2212/g, "-").replace(/ /g, "").toLowerCase();
  const found = NUMERAL.exec(plain);
  if (found === null || !(found[2] || found[3])) return null;
  const decimals = found[3] || "";
  const digits = BigInt(found[2] + decimals);
  return { digits: found[1] === "-" ? -digits : digits, power: Number(found[4] || found[5] || 0) - decimals.length };
}

function tenTo(power) {
  return 10n ** BigInt(power);
}

function size(number) {
  return number < 0n ? -number : number;
}

// right, coarse, wrong or unreadable; `truth` is the shortest decimal of a double, as a text.
function judged(text, truth) {
  const exact = numeral(truth);
  const slash = text.indexOf("/");
  const number = numeral(slash < 0 ? text : text.slice(0, slash));
  const divisor = slash < 0 ? { digits: 1n, power: 0 } : numeral(text.slice(slash + 1));
  if (number === null || divisor === null || divisor.digits === 0n) return "unreadable";
  if (slash >= 0) {
    const least = Math.min(number.power, exact.power + divisor.power);
    const above = number.digits * tenTo(number.power - least);
    const wanted = exact.digits * divisor.digits * tenTo(exact.power + divisor.power - least);
    return size(above - wanted) * tenTo(12) <= size(wanted) ? "right" : "wrong";
  }
  const least = Math.min(number.power, exact.power);
  const unit = tenTo(number.power - least);
  const shown = number.digits * unit;
  if (2n * size(shown - exact.digits * tenTo(exact.power - least)) > unit) return "wrong";
  return exact.digits !== 0n && 2n * size(shown) <= unit ? "coarse" : "right";
}

// The rows of an array such as [1, 2; 3, 4], each a list of texts.
function rowsOf(text) {
  return text.replace(/^[\s[(]+|[\s\])]+$/g, "").split(";").map((row) => row.trim().split(/\s*,\s*|\s+/));
}

// The worst verdict on the entries of an array, of a number its own; an array of another shape is unreadable.
function assessed(text, truth) {
  const rows = rowsOf(truth);
  if (rows.length * rows[0].length === 1) return judged(text, truth);
  const typed = rowsOf(text);
  const flat = typed.flat();
  const fits = flat.length === rows.flat().length && (rows.length === 1 || typed.length === rows.length);
  const verdicts = fits ? rows.flat().map((entry, k) => judged(flat[k], entry)) : ["unreadable"];
  return ["unreadable", "wrong", "coarse", "right"].find((verdict) => verdicts.includes(verdict));
}

// --- one sweep: its graph, its table and its sentences ---------------------------------------------------------------

class Sweep {
  constructor(panel) {
    this.panel = panel;
    this.told = [...panel.querySelectorAll(".told > li")];
    this.rows = [...panel.querySelectorAll("tbody > tr")];
    this.nodes = new Map([...panel.querySelectorAll("[data-node]")].map((node) => [node.dataset.node, node]));
    this.edges = new Map([...panel.querySelectorAll("[data-edge]")].map((edge) => [edge.dataset.edge, edge]));
    this.computed = new Set(this.told.map((item) => this.nodes.get(item.dataset.target)).filter(Boolean));
    this.at = 0;
    this.known = 1;
  }

  get last() {
    return this.told.length - 1;
  }

  // Shows the step `at`; numbers of steps from `known` on are hidden.
  draw() {
    this.told.forEach((item, k) => {
      for (const element of [item, this.rows[k]]) {
        element.classList.toggle("now", k === this.at);
        element.classList.toggle("future", k > this.at);
        element.classList.toggle("unknown", k >= this.known);
      }
      if (k === this.at) this.rows[k].setAttribute("aria-current", "step");
      else this.rows[k].removeAttribute("aria-current");
    });
    for (const element of [...this.nodes.values(), ...this.edges.values()]) {
      element.classList.remove("now", "done", "source");
    }
    const shown = new Map();
    this.told.slice(0, this.at + 1).forEach((item, k) => {
      const mark = k === this.at ? "now" : "done";
      const node = this.nodes.get(item.dataset.target);
      if (node) {
        node.classList.remove("done");
        node.classList.add(mark);
        if (k < this.known) shown.set(node, item.dataset.shown);
      }
      for (const name of item.dataset.edges ? item.dataset.edges.split(",") : []) {
        const edge = this.edges.get(name);
        if (edge && (mark === "now" || !edge.classList.contains("now"))) edge.classList.add(mark);
      }
      const source = this.nodes.get(item.dataset.source);
      if (mark === "now" && source) source.classList.add("source");
    });
    for (const node of this.computed) this.write(node, shown.get(node));
    this.reveal();
  }

  // The last line of a node has the number that this sweep computes.
  write(node, text) {
    const lines = node.querySelectorAll("text");
    if (lines.length < 2) return;
    const line = lines[lines.length - 1];
    line.classList.toggle("blank", text === undefined);
    const pieces = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let piece = null;
    while (pieces.nextNode()) piece = pieces.currentNode;
    if (text === undefined || !piece) return;
    piece.data = piece.data.replace(/=[^=]*$/, `= ${text}`);
    line.removeAttribute("textLength"); // a number on the way can be longer than the last one, for which there is room
    const room = node.querySelector("rect").width.baseVal.value - 12;
    if (line.getComputedTextLength() > room) {
      line.setAttribute("textLength", room);
      line.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  }

  // Scrolls graph and table, never the page, to where something happens.
  reveal() {
    const node = this.nodes.get(this.told[this.at].dataset.target);
    for (const element of [node, this.rows[this.at]]) {
      const frame = element && element.closest(".picture, .table");
      if (!frame) continue;
      const inner = element.getBoundingClientRect();
      const outer = frame.getBoundingClientRect();
      if (inner.top < outer.top || inner.bottom > outer.bottom) {
        frame.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
      }
      if (element === node && (inner.left < outer.left || inner.right > outer.right)) {
        frame.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
      }
    }
  }
}

// --- one expression: its sweeps behind tabs, the controls, the predictions -------------------------------------------

const PAUSE = 1800; // milliseconds for which a step stays when the steps play

class Stepper {
  constructor(root) {
    this.root = root;
    this.tabs = [...root.querySelectorAll("[role=tab]")];
    this.sweeps = [...root.querySelectorAll("[role=tabpanel]")].map((panel) => new Sweep(panel));
    this.chosen = 0;
    this.timer = null;
    this.slider = root.querySelector(".slider");
    this.play = root.querySelector(".play");
    this.predict = root.querySelector(".predict");
    this.form = root.querySelector(".prediction");
    this.typed = root.querySelector(".typed");
    this.verdict = root.querySelector(".verdict");
    root.querySelector(".back").addEventListener("click", () => this.go(this.sweep.at - 1));
    this.next = root.querySelector(".next");
    this.next.addEventListener("click", () => this.go(this.sweep.at + 1));
    this.play.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value) - 1));
    this.predict.addEventListener("change", () => this.begin());
    this.form.addEventListener("submit", (event) => this.check(event));
    root.querySelector(".show").addEventListener("click", () => this.solve("Shown."));
    this.tabs.forEach((tab, k) => tab.addEventListener("click", (event) => {
      this.choose(k);
      if (event.detail > 0) this.slider.focus(); // a mouse: from now on arrow keys mean steps, not tabs
    }));
    for (const hidden of root.querySelectorAll(".tabs, .controls")) hidden.hidden = false;
    root.classList.add("live");
    this.predict.checked = false; // some browsers remember
    this.choose(0);
  }

  get sweep() {
    return this.sweeps[this.chosen];
  }

  // Whether the number of the current step waits for a prediction.
  get asking() {
    return this.predict.checked && this.sweep.known <= this.sweep.at;
  }

  choose(k) {
    this.stop();
    this.chosen = (k + this.tabs.length) % this.tabs.length;
    this.tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === this.chosen));
      tab.tabIndex = place === this.chosen ? 0 : -1;
      this.sweeps[place].panel.hidden = place !== this.chosen;
    });
    this.sweep.panel.querySelector(".told").after(this.form);
    this.slider.max = this.sweep.told.length;
    this.draw("");
  }

  // Predictions start, or end, at the current step of each sweep.
  begin() {
    this.stop();
    for (const sweep of this.sweeps) sweep.known = sweep.at + 1;
    this.play.disabled = this.predict.checked;
    this.draw("");
  }

  go(wanted) {
    const sweep = this.sweep;
    if (this.asking && wanted > sweep.at) {
      this.draw("Type a number first, or show it.");
      this.typed.focus();
      return;
    }
    const limit = this.predict.checked ? Math.min(sweep.known, sweep.last) : sweep.last;
    sweep.at = Math.max(0, Math.min(wanted, limit));
    if (!this.predict.checked) sweep.known = sweep.at + 1;
    else if (sweep.told[sweep.at].dataset.truth === undefined) sweep.known = Math.max(sweep.known, sweep.at + 1);
    this.typed.value = "";
    this.draw("");
    if (this.asking) this.typed.focus();
  }

  draw(said) {
    const sweep = this.sweep;
    const item = sweep.told[sweep.at];
    sweep.draw();
    this.slider.value = String(sweep.at + 1);
    const place = `Step ${sweep.at + 1} of ${sweep.told.length}`;
    this.slider.setAttribute("aria-valuetext", place);
    this.root.querySelector(".place").textContent = place;
    this.root.querySelector(".back").disabled = sweep.at === 0;
    this.next.disabled = sweep.at === sweep.last;
    this.form.hidden = !this.predict.checked || (!this.asking && said === "");
    this.form.classList.toggle("solved", !this.asking);
    this.root.querySelector(".asked").textContent = `${item.dataset.symbol} =`;
    this.verdict.textContent = said;
    sweep.panel.querySelector(".results").hidden = sweep.known < sweep.told.length || sweep.at < sweep.last;
    this.announce(place, item);
  }

  // What a screen reader says: the place, the equation as far as it is shown, and the sentences.
  announce(place, item) {
    const parts = [...item.querySelectorAll(".said")].filter((part) => !this.asking || !part.closest(".answer"));
    const text = parts.map((part) => (part.dataset.said ?? part.textContent).trim()).filter(Boolean).join(" ");
    this.root.querySelector(".announcement").textContent = `${place}. ${text}`;
  }

  check(event) {
    event.preventDefault();
    if (!this.asking) return;
    const verdict = assessed(this.typed.value, this.sweep.told[this.sweep.at].dataset.truth);
    if (verdict === "right") {
      this.solve(this.form.dataset.right);
      return;
    }
    this.verdict.textContent = this.form.dataset[verdict];
    this.typed.select();
  }

  solve(said) {
    this.sweep.known = Math.max(this.sweep.known, this.sweep.at + 1);
    this.draw(said);
    (this.next.disabled ? this.slider : this.next).focus();
  }

  toggle() {
    if (this.timer !== null) {
      this.stop();
      return;
    }
    if (this.predict.checked) return;
    if (this.sweep.at === this.sweep.last) this.go(0);
    this.play.textContent = "Pause";
    this.timer = setInterval(() => {
      this.go(this.sweep.at + 1);
      if (this.sweep.at === this.sweep.last) this.stop();
    }, PAUSE);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target;
    if (target === this.typed) {
      if (event.key === "Escape") this.slider.focus();
      return;
    }
    if (target.tagName === "SELECT") return;
    const tab = this.tabs.indexOf(target);
    const here = this.sweep;
    const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key in moves && tab >= 0) {
      this.choose(tab + moves[event.key]);
      this.tabs[this.chosen].focus();
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      this.stop();
      this.go(here.at + moves[event.key]);
    } else if (event.key === "Home" || event.key === "End") {
      this.stop();
      this.go(event.key === "Home" ? 0 : here.last);
    } else if (event.key === " " && !["BUTTON", "SUMMARY", "INPUT"].includes(target.tagName)) {
      this.toggle();
    } else if (event.key === " " && target === this.slider) {
      this.toggle();
    } else {
      return;
    }
    event.preventDefault();
  }
}

// --- the page --------------------------------------------------------------------------------------------------------

function start() {
  const steppers = [...document.querySelectorAll(".stepper")].map((root) => new Stepper(root));
  const list = document.querySelector(".problems");
  const shown = () => (list ? list.selectedIndex : 0);
  const show = () => steppers.forEach((stepper, k) => {
    stepper.stop();
    stepper.root.hidden = k !== shown();
  });
  if (list) {
    list.closest("label").hidden = false;
    list.addEventListener("change", show);
    show();
  }
  document.addEventListener("keydown", (event) => steppers[shown()].key(event));
}

if (document.querySelector(".stepper")) start();
