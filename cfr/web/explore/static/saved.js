// Saved spots: a dialog with the spot on the page to save, with a name and a note, and those that were saved.

import { ask, find, make } from "../../static/page.js";

let go = null;
let spot = null; // what is saved: a name to begin with, and its address
let changed = null; // the saved spot whose name and note are changed; null while the spot on the page is named

export function start(navigate) {
  go = navigate;
  find("saved-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keep();
  });
  find("saved-cancel").addEventListener("click", () => change(null));
  find("saved-close").addEventListener("click", () => find("saved").close());
  find("saved").addEventListener("click", (event) => {
    if (event.target === find("saved")) find("saved").close();
  });
}

/** Show the dialog; `name` is what the spot at the `address` is called unless somebody calls it otherwise. */
export async function open(name, address) {
  if (find("saved").open) return;
  spot = { name, address: address.split("?")[1] ?? "" };
  find("saved-list").replaceChildren();
  change(null);
  say("");
  find("saved").showModal();
  find("saved-name").select();
  await attempt(() => ask("/api/saved"));
}

/** Name the spot on the page (null), or one that was saved. */
function change(saved) {
  changed = saved;
  find("saved-name").value = saved?.name ?? spot.name;
  find("saved-note").value = saved?.note ?? "";
  find("saved-keep").textContent = saved ? "Save changes" : "Save this spot";
  find("saved-cancel").hidden = !saved;
  if (saved) find("saved-name").focus();
}

async function keep() {
  const [name, note] = [find("saved-name").value.trim(), find("saved-note").value.trim()];
  const { number, address } = changed ?? { number: 0, address: spot.address };
  if (await attempt(() => ask("/api/saved/keep", { number, name, note, address }))) {
    say(changed ? "Changed." : "Saved.");
    change(null);
  }
}

async function remove(saved) {
  if (!(await attempt(() => ask("/api/saved/remove", { number: saved.number })))) return;
  say(`Removed: ${saved.name}.`);
  if (changed?.number === saved.number) change(null);
  find("saved-keep").focus();
}

/** Whether the server did it; its spots are drawn then, or its reason is said. */
async function attempt(deed) {
  try {
    const { spots } = await deed();
    find("saved-list").replaceChildren(...spots.map(item));
    return true;
  } catch (error) {
    say(error.message);
    return false;
  }
}

function item(saved) {
  const address = `/explore${saved.address ? `?${saved.address}` : ""}`;
  const visit = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    find("saved").close();
    go(address);
  };
  const button = (text, deed) =>
    make("button", { type: "button", className: "text-button", "aria-label": `${text}: ${saved.name}`, onclick: deed }, text);
  return make(
    "li",
    {},
    make("a", { href: address, onclick: visit }, saved.name),
    button("Change", () => change(saved)),
    button("Remove", () => remove(saved)),
    saved.note ? make("p", {}, saved.note) : null,
  );
}

function say(text) {
  find("saved-said").textContent = text;
}
