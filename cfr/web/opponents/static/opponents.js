// Opponents: players' models, their leaks, and counter-strategies from safe to greedy.

import { copyButton } from "../../static/copy.js";
import { ask, capital, counted, find, game, make } from "../../static/page.js";
import { inTurn } from "../../static/turns.js";
import * as learn from "./learn.js";
import { drawsSaid, frequency, mixSaid, per100, pointName, resultSaid, standing } from "./numbers.js";
import { resultPlot } from "./resultPlot.js";

const HOW = "No folder of players: start the server with cfr serve --opponents FOLDER, where the files of cfr model and cfr counter lie.";
const NOBODY = "No player yet. A log that is dropped here, or cfr model LOG --player NAME --out FOLDER/NAME.h5, says how somebody plays.";
const SHOWN = 12; // leaks at first
const STEPS = { j: 1, k: -1 };

let isOffered = false;
let found = { players: [], problems: [] };
let player = null; // the one that is shown
let areAllShown = false; // its leaks
const { attempt } = inTurn("opponents", prepare, () => null, draw);

export function start() {
  learn.start((made) =>
    attempt(async () => {
      await fetchAll(made);
      if (!find("opponents").hidden) showAddress();
    }),
  );
  find("opponents-player").addEventListener("change", (event) => choose(event.target.value));
  find("opponents-coin").addEventListener("input", drawMix);
  find("opponents-more").addEventListener("click", () => {
    areAllShown = true;
    drawLeaks();
  });
}

export function show(query) {
  document.title = "Opponents \u2013 cfr";
  return attempt(async () => {
    if (!isOffered) return;
    await fetchAll(query?.get("player") || player?.name);
  });
}

/** The players, and the wanted one, or the first. */
async function fetchAll(wanted) {
  found = await ask("/api/opponents");
  const names = found.players.map((each) => each.name);
  const name = names.includes(wanted) ? wanted : names[0];
  [player, areAllShown] = [name === undefined ? null : await fetchPlayer(name), false];
}

/** `J` and `K` go through the players, `O` asks for a log. */
export function key(name, repeated) {
  if (name.toLowerCase() === "o" && !repeated) {
    learn.choose();
    return true;
  }
  const step = STEPS[name.toLowerCase()];
  if (!step || !player) return false;
  const names = found.players.map((each) => each.name);
  const next = names[names.indexOf(player.name) + step];
  if (next !== undefined) choose(next);
  return true;
}

function choose(name) {
  return attempt(async () => {
    [player, areAllShown] = [await fetchPlayer(name), false];
    showAddress();
  });
}

function showAddress() {
  history.replaceState(null, "", `/opponents?player=${encodeURIComponent(player.name)}`);
}

function fetchPlayer(name) {
  return ask(`/api/opponents/player?name=${encodeURIComponent(name)}`);
}

async function prepare() {
  const rules = await game;
  isOffered = rules.opponents;
  learn.offer(rules.opponent_log_bytes);
}

function draw() {
  const said = !isOffered ? [HOW] : [...(found.players.length ? [] : [NOBODY]), ...found.problems];
  find("opponents-said").replaceChildren(...said.map((line) => make("span", {}, line)));
  find("opponents-body").hidden = !player;
  if (!player) return;
  const named = (each) => (each.player === each.name ? each.player : `${each.player}, ${each.name}`);
  find("opponents-player").replaceChildren(
    ...found.players.map((each) =>
      make("option", { value: each.name, selected: each.name === player.name }, `${named(each)} (${counted(each.hands, "hand")})`),
    ),
  );
  find("opponents-standing").textContent = capital(standing(player));
  drawLinks();
  drawResult();
  drawLeaks();
  drawTrade();
}

function drawResult() {
  const plot = player.result && resultPlot(player.result);
  find("opponents-result").replaceChildren(
    make("h2", {}, plot ? "Big blinds won over the hands" : "Result"),
    make("p", {}, resultSaid(player.result)),
    ...(plot ? [plot] : []),
  );
}

/** Links of whole pages: Explore then knows of files that are new. */
function drawLinks() {
  const { name, beside } = player;
  const named = new URLSearchParams({ strategy: name, ...(beside ? { with: beside } : {}) });
  find("opponents-links").replaceChildren(
    make("a", { className: "button main", href: `/explore?${named}` }, beside ? `Grid beside ${beside}` : "Grid"),
    against("play", name, "Play against this player"),
    against("train", name, "Train against this player"),
    download(name, "The model as a file"),
    beside ? "" : make("span", { className: "faint" }, `The page does not show ${player.blueprint}, of which this is a model.`),
  );
}

/** A link to the table or the trainer, against a strategy of this name; the table takes a mix, too. */
function against(view, name, text) {
  return make("a", { className: "text-button", href: `/${view}?against=${encodeURIComponent(name)}`, "data-link": true }, text);
}

function download(name, text) {
  const href = `/api/opponents/file?name=${encodeURIComponent(name)}`;
  return make("a", { className: "text-button", href, download: `${name}.h5`, title: `${name}.h5` }, text);
}

function drawLeaks() {
  const { leaks } = player;
  const none = leaks === null ? "The file is of an earlier version of cfr model; make it again to see them." : "No leak found.";
  find("opponents-leaks").replaceChildren(
    make("h2", {}, leaks?.length ? "Leaks, those that move most chips first" : "Leaks"),
    leaks?.length ? leakTable(areAllShown ? leaks : leaks.slice(0, SHOWN)) : make("p", {}, none),
  );
  find("opponents-more").hidden = areAllShown || !(leaks?.length > SHOWN);
}

function leakTable(leaks) {
  const isValued = leaks.some((each) => each.worth_mbb !== null);
  const head = ["", "player", player.blueprint, "in 100 hands", ...(isValued ? ["worth"] : [])];
  const row = (each) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, capital(each.does), each.part ? ` ${each.part}` : "", make("span", { className: "faint" }, ` ${each.where}`)),
      make("td", { className: "own" }, frequency(each.frequency, each.interval_95)),
      make("td", {}, frequency(each.blueprint)),
      make("td", {}, each.per_100_hands.toFixed(1)),
      isValued ? make("td", {}, each.worth_mbb === null ? "" : worth(each.worth_mbb)) : null,
    );
  return make(
    "table",
    { className: "counts leaks" },
    make("thead", {}, make("tr", {}, head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, leaks.map(row)),
  );
}

function worth(mbb) {
  return make("span", { title: `${mbb.toFixed(1)} mbb/g` }, per100(mbb).replace("big blinds per 100 hands", "bb/100"));
}

function drawTrade() {
  const { coins, points, command } = player;
  find("opponents-trade").hidden = !coins.length;
  find("opponents-untraded").hidden = Boolean(coins.length);
  if (!coins.length) {
    find("opponents-untraded").replaceChildren(
      make("p", {}, "Nobody has made a counter-strategy yet. In the folder of the files:"),
      copied(command),
    );
    return;
  }
  const slider = find("opponents-coin");
  slider.max = coins.length - 1;
  slider.value = 0;
  slider.disabled = coins.length < 2;
  drawMix();
  const areDrawn = points.some(drawsSaid);
  const heads = ["", "wins", ...(areDrawn ? ["in 80 % of draws"] : []), "worst case", ""];
  const row = (each) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, capital(pointName(each.confidence))),
      make("td", {}, each.win_mbb.toFixed(1)),
      areDrawn ? make("td", {}, drawsSaid(each) ?? "") : null,
      make("td", {}, each.exploitability_mbb.toFixed(1)),
      make("td", {}, each.name ? download(each.name, "File") : ""),
    );
  find("opponents-points").replaceChildren(
    make("h2", {}, "Measured, in mbb/g"),
    make(
      "table",
      { className: "counts" },
      make("thead", {}, make("tr", {}, heads.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, points.map(row)),
    ),
    points.some((each) => each.standard_error_mbb !== 0)
      ? make("p", { className: "faint" }, "Estimates, on a sample of flops.")
      : "",
    areDrawn
      ? make("p", { className: "faint" }, "The model is not sure of the player: draws are other players that the hands allow as well.")
      : "",
  );
}

/** What the place of the slider wins, and what it can lose. */
function drawMix() {
  const { coins, points } = player;
  const slider = find("opponents-coin");
  const coin = coins[slider.value];
  const given = coin.worst_mbb - points[0].exploitability_mbb;
  slider.setAttribute("aria-valuetext", `wins ${coin.win_mbb.toFixed(1)}, worst case ${coin.worst_mbb.toFixed(1)} mbb/g`);
  const number = (text, mbb, isLoss) => [
    make("dt", {}, text),
    make("dd", {}, make("b", {}, per100(mbb).replace(/^\+/, isLoss ? "" : "+")), make("span", { className: "faint" }, ` ${mbb.toFixed(1)} mbb/g`)),
  ];
  find("opponents-mix").replaceChildren(
    make("dl", {}, number("Wins from the model", coin.win_mbb), number("Loses at most", coin.worst_mbb, true), number("Risk", given, true)),
    make("p", {}, mixSaid(coin)),
    coin.against
      ? against("play", coin.against, `Play against ${coin.share || coin.safer_confidence ? "the counter-strategy" : "the blueprint"}`)
      : make("span", { className: "faint" }, `The page does not show ${player.blueprint}: no play against it here.`),
    copied(`cfr match ${coin.plays} OPPONENT`),
  );
}

/** A command that can be copied. */
function copied(command) {
  return make("p", { className: "command" }, make("code", {}, command), copyButton("Copy", () => command, "Copy the command"));
}
