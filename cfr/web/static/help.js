// The help: keys and words, and a search in them.

import { find } from "./page.js";

const POINTER = "(hover: hover)"; // without one, a field that takes the focus brings a keyboard over the words

export function start() {
  for (const id of ["keys-open", "help-open"]) find(id).addEventListener("click", open);
  find("keys-close").addEventListener("click", () => find("keys").close());
  find("keys").addEventListener("click", (event) => {
    if (event.target === find("keys")) find("keys").close();
  });
  find("keys-search").addEventListener("input", search);
}

export function open() {
  find("keys-search").value = "";
  search();
  find("keys").showModal();
  if (matchMedia(POINTER).matches) find("keys-search").focus();
}

/** Show what has all words that are typed; the title of a section counts as its text. */
function search() {
  const words = find("keys-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of document.querySelectorAll("#keys section")) {
    const title = section.querySelector("h3").textContent;
    const entries = [...section.querySelectorAll("dl > div")];
    for (const entry of entries) {
      const text = `${title} ${entry.textContent}`.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
      count += !entry.hidden;
    }
    section.hidden = entries.every((entry) => entry.hidden);
  }
  find("keys-none").textContent = count ? "" : "Nothing found.";
}
