// A dialog in which both ranges are painted on the grid of hands, by mouse, finger or keys, or typed.

import { RANKS, ask, find, make } from "../../static/page.js";

const SEATS = { button: "Button", bb: "Big blind" };
const REST = 250; // ms after a stroke before the server is asked what it makes
const STEP = RANKS.length;
const NOTHING = "random:0";

const cells = [];
let base = null; // what the spot is, besides its ranges
let ranges = null; // the text of each seat's
let shown = null; // what the server says about them
let seat = "button";
let stroke = null; // the weight that is being painted, and where
let timer = null;
let asked = 0;
let settle = null;

export function start() {
  for (let number = 0; number < STEP * STEP; number++) cells.push(cell(number));
  find("ranges-grid").append(
    ...RANKS.split("").map((_, row) => make("div", { role: "row" }, cells.slice(STEP * row, STEP * row + STEP))),
  );
  const grid = find("ranges-grid");
  grid.addEventListener("pointerdown", begin);
  grid.addEventListener("pointermove", paintOn);
  for (const end of ["pointerup", "pointercancel"]) grid.addEventListener(end, finish);
  grid.addEventListener("keydown", move);
  find("ranges-seat").replaceChildren(...Object.entries(SEATS).map(([name, said]) => seatButton(name, said)));
  find("ranges-seat").addEventListener("keydown", (event) => {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    choose(seat === "bb" ? "button" : "bb");
    find("ranges-seat").querySelector("[aria-checked=true]").focus();
  });
  find("ranges-brush").addEventListener("input", drawBrush);
  find("ranges-text").addEventListener("input", () => later(find("ranges-text").value));
  for (const button of document.querySelectorAll("[data-range]")) {
    button.addEventListener("click", () => write(button.dataset.range));
  }
  find("ranges-done").addEventListener("click", () => close({ ...ranges }));
  find("ranges-close").addEventListener("click", () => close(null));
  find("ranges").addEventListener("close", () => close(null));
}

/** Edit the ranges of a spot; resolves to both texts, or to null if nothing is to be solved. */
export function edit(what) {
  close(null);
  base = what;
  ranges = { button: what.button, bb: what.bb };
  shown = null;
  find("ranges-said").textContent = "";
  find("ranges").showModal();
  choose(seat);
  look();
  return new Promise((resolve) => {
    settle = resolve;
  });
}

function close(result) {
  clearTimeout(timer);
  const done = settle;
  settle = null;
  if (find("ranges").open) find("ranges").close();
  done?.(result && Object.fromEntries(Object.entries(result).map(([name, text]) => [name, plain(text)])));
}

/** The strategy's own range has no text. */
function plain(text) {
  return text.trim() === "strategy" ? "" : text.trim();
}

function seatButton(name, said) {
  return make("button", { type: "button", role: "radio", "data-value": name, onclick: () => choose(name) }, said);
}

function choose(name) {
  seat = name;
  for (const button of find("ranges-seat").children) {
    const isChosen = button.dataset.value === seat;
    button.setAttribute("aria-checked", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
  }
  draw();
}

function cell(number) {
  const [row, column] = [Math.floor(number / STEP), number % STEP];
  const [high, low] = [RANKS[Math.min(row, column)], RANKS[Math.max(row, column)]];
  const name = high + low + (row === column ? "" : row < column ? "s" : "o");
  return make(
    "button",
    { type: "button", className: "weight", role: "gridcell", tabIndex: number ? -1 : 0, "data-number": number },
    make("span", { className: "bars" }),
    make("span", { className: "name" }, name),
    make("span", { className: "value" }),
  );
}

// ---- painting

function begin(event) {
  const number = under(event);
  if (number === null || event.button > 0) return;
  event.preventDefault();
  find("ranges-grid").setPointerCapture(event.pointerId);
  cells[number].focus({ preventScroll: true });
  stroke = { weight: brushFor(number), number };
  paint(number, stroke.weight);
}

function paintOn(event) {
  const number = stroke && under(event);
  if (number === null || number === stroke.number) return;
  for (const each of between(stroke.number, number)) paint(each, stroke.weight);
  stroke.number = number;
}

function finish() {
  stroke = null;
}

/** The cell below a pointer, which may have left the one where it went down. */
function under(event) {
  const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("#ranges-grid .weight");
  return found ? Number(found.dataset.number) : null;
}

/** The cells from one to another: a quick pointer leaves some out. */
function between(from, to) {
  const rows = Math.floor(to / STEP) - Math.floor(from / STEP);
  const columns = (to % STEP) - (from % STEP);
  const steps = Math.max(Math.abs(rows), Math.abs(columns));
  return Array.from({ length: steps }, (_, step) => {
    const share = (step + 1) / steps;
    const row = Math.floor(from / STEP) + Math.round(share * rows);
    return row * STEP + (from % STEP) + Math.round(share * columns);
  });
}

/** The brush's weight; 0 where the hand has it already. */
function brushFor(number) {
  const weight = Number(find("ranges-brush").value) / 100;
  return shown && Math.abs(shown.ranges[seat].weights[number] - weight) < 0.001 ? 0 : weight;
}

function paint(number, weight) {
  if (!shown || !shown.live[number]) return;
  shown.ranges[seat].weights[number] = weight;
  drawCell(number);
  const name = cells[number].children[1].textContent;
  later(`${ranges[seat] || "strategy"};${name}:${weight}`, true);
}

function move(event) {
  const number = cells.indexOf(document.activeElement);
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (number < 0) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    paint(number, brushFor(number));
  }
  if (!step) return;
  event.preventDefault();
  const row = Math.min(STEP - 1, Math.max(0, Math.floor(number / STEP) + step[0]));
  const column = Math.min(STEP - 1, Math.max(0, (number % STEP) + step[1]));
  const next = row * STEP + column;
  if (event.shiftKey && shown) paint(next, shown.ranges[seat].weights[number]);
  focus(next);
}

function focus(number) {
  for (const each of cells) each.tabIndex = -1;
  cells[number].tabIndex = 0;
  cells[number].focus();
}

// ---- text

function write(text) {
  if (shown && text === NOTHING) shown.ranges[seat].weights.fill(0); // the server makes nothing of it
  later(text);
  draw();
  clearTimeout(timer);
  look();
}

/** A range changed; the server is asked when it rests. */
function later(text, isPainted = false) {
  ranges[seat] = text;
  asked += 1;
  find("ranges").ariaBusy = "true";
  if (isPainted || document.activeElement !== find("ranges-text")) find("ranges-text").value = text || "strategy";
  clearTimeout(timer);
  timer = setTimeout(look, REST);
}

/** What the server makes of the texts: weights, combos, and what a solve will take. */
async function look() {
  const mine = ++asked;
  find("ranges").ariaBusy = "true";
  let found;
  try {
    found = await ask("/api/exact/forecast", { ...base, ...ranges });
  } catch (error) {
    if (mine === asked && settle) refuse(error.message);
    return;
  }
  if (mine !== asked || !settle) return;
  shown = found;
  for (const name of Object.keys(SEATS)) {
    const isTyping = name === seat && document.activeElement === find("ranges-text");
    if (!isTyping) ranges[name] = found.ranges[name].text;
  }
  draw();
  refuse(found.refusal);
}

function refuse(reason) {
  find("ranges").ariaBusy = "false";
  find("ranges-text").setAttribute("aria-invalid", String(Boolean(reason)));
  find("ranges-done").disabled = Boolean(reason);
  find("ranges-said").classList.toggle("down", Boolean(reason));
  if (reason) find("ranges-said").textContent = reason;
}

// ---- drawing

function draw() {
  if (document.activeElement !== find("ranges-text")) find("ranges-text").value = ranges[seat] || "strategy";
  drawBrush();
  if (!shown) return;
  cells.forEach((_, number) => drawCell(number));
  if (shown.refusal) return;
  const { memory_bytes: bytes, seconds } = shown.forecast;
  const time = seconds < 1 ? "under a second" : `about ${Math.round(seconds)} s`;
  find("ranges-said").textContent =
    `${shown.ranges[seat].combos.toFixed(1)} combos. Solving takes ${time} and ${(bytes / 1e9).toFixed(1)} GB.`;
}

function drawBrush() {
  find("ranges-weight").textContent = `${find("ranges-brush").value}%`;
}

function drawCell(number) {
  const element = cells[number];
  const [weight, isLive] = [shown.ranges[seat].weights[number], shown.live[number] > 0];
  element.style.setProperty("--weight", weight);
  element.classList.toggle("absent", !weight);
  element.disabled = !isLive;
  element.children[2].textContent = weight > 0.005 && weight < 0.995 ? Math.round(100 * weight) : "";
  const said = isLive ? `${Math.round(100 * weight)}%` : "on the board";
  element.setAttribute("aria-label", `${element.children[1].textContent}: ${said}`);
}
