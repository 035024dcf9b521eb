// A log is dropped, a player of it is chosen, and the player's model joins the folder.

import { FORMATS, decoded, takeLogs } from "../../static/logs.js";
import { ask, counted, find, make, percent } from "../../static/page.js";

const AGAIN = 400; // ms between two looks
const LATER = 3000; // ms until a busy server is asked again
const BUSY = 429;
const UNDER_WAY = ["waiting", "reading", "learning"];

let most = null; // bytes of a log; null where none is taken
let state = null; // of the log, as the server has it
let problem = "";
let turn = 0; // of the loop that looks at the log
let arrived = null; // told the name of a model that joined the folder

export function start(tell) {
  arrived = tell;
  takeLogs("opponents", take);
  find("opponents-stop").addEventListener("click", stop);
  find("opponents-learn").addEventListener("click", learn);
}

/** Take logs of at most so many bytes; none for null. */
export function offer(bytes) {
  if (bytes === most) return;
  most = bytes;
  draw();
}

/** Ask for a log, unless one is under way. */
export function choose() {
  if (most !== null && !underWay()) find("opponents-file").click();
}

function underWay() {
  return state !== null && UNDER_WAY.includes(state.state);
}

async function take(file) {
  turn += 1;
  [state, problem] = [null, ""];
  if (file.size > most) {
    problem = `${file.name}: ${file.size.toLocaleString("en")} bytes; a log may have ${most.toLocaleString("en")}.`;
    draw();
    return;
  }
  await begin("start", { name: file.name, text: await decoded(file) });
}

function learn() {
  return begin("learn", { id: state.id, player: find("opponents-chosen").value });
}

/** Begin what the server works on, and look at it until it is over. */
async function begin(what, asked) {
  turn += 1;
  const mine = turn;
  try {
    problem = "";
    state = await ask(`/api/opponents/log/${what}`, asked);
    while (mine === turn && underWay()) {
      draw();
      await new Promise((resume) => setTimeout(resume, AGAIN));
      if (mine === turn) await look(mine);
    }
  } catch (error) {
    if (mine === turn) problem = error.message;
  }
  if (mine !== turn) return;
  draw();
  if (state?.made && !problem) arrived(state.made);
}

async function look(mine) {
  try {
    const next = await ask(`/api/opponents/log?id=${state.id}`);
    if (mine === turn) state = next;
  } catch (error) {
    if (error.status !== BUSY) {
      state = null;
      throw error;
    }
    await new Promise((resume) => setTimeout(resume, LATER));
  }
}

async function stop() {
  turn += 1;
  const { id } = state;
  [state, problem] = [null, "Cancelled."];
  draw();
  await ask("/api/opponents/log/stop", { id }).catch(() => {}); // it may be over already
}

function draw() {
  const players = underWay() ? [] : (state?.players ?? []);
  find("opponents-drop").hidden = most === null;
  find("opponents-drop").classList.toggle("wrong", Boolean(problem) || state?.state === "failed");
  find("opponents-log").textContent = state ? state.name : "Drop a log to learn how somebody plays";
  find("opponents-learnt").textContent = saying();
  find("opponents-choose").hidden = underWay();
  find("opponents-stop").hidden = !underWay();
  find("opponents-whom").hidden = !players.length;
  find("opponents-chosen").replaceChildren(
    ...players.map(({ player, hands }) =>
      make("option", { value: player, selected: player === state.player }, `${player} (${counted(hands, "hand")})`),
    ),
  );
  const bar = find("opponents-progress");
  bar.hidden = !underWay();
  bar.firstElementChild.style.setProperty("--share", state?.done ?? 0);
  bar.setAttribute("aria-valuenow", Math.round(100 * (state?.done ?? 0)));
}

function saying() {
  if (problem) return problem;
  if (!state) return `${FORMATS}.`;
  const { state: phase, place, player, made, hands, done, skipped } = state;
  if (phase === "waiting") return `Waiting: ${place <= 1 ? "next in turn" : `place ${place}`}.`;
  if (phase === "reading") return "Reading\u2026";
  if (phase === "learning") return `Learning how ${player} plays, ${percent(done)}. It goes on when you leave.`;
  if (phase === "failed") return state.problem;
  if (made) return `${player} joined the players, in ${made}.h5.`;
  return [`${counted(hands, "hand")} read. Whose model?`, ...skipped].join("\n");
}
