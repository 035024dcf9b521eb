// Logs that are dropped on a view, or chosen there, and their text.

import { find } from "./page.js";

export const FORMATS = "ACPC (.log), PHH (.phh, .phhs) or a card room's fixed limit (.txt, .xml)";

/** Let a view take logs: `VIEW-file` chooses one, and `VIEW-drop` shows that one can be dropped; `take` gets the file. */
export function takeLogs(view, take) {
  const file = find(`${view}-file`);
  file.addEventListener("change", () => {
    if (file.files.length) take(file.files[0]);
    file.value = ""; // the same file may come again
  });
  const place = find(`${view}-drop`);
  // The browser would open a log that is dropped beside the place for it.
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      if (find(view).hidden || place.hidden) return;
      event.preventDefault();
      place.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
    });
  }
  document.addEventListener("dragleave", () => place.classList.remove("over"));
}

/** The text of a log's file: UTF-16 where its mark or its nulls say so, else UTF-8, else cp1252; as cfr/system/disk/decoded.py. */
export async function decoded(file) {
  const buffer = await file.arrayBuffer();
  const bytes = new Uint8Array(buffer);
  const nulls = (first) => {
    const some = bytes.slice(0, 400).filter((_, place) => place % 2 === first);
    return some.length > 1 && some.filter((each) => each === 0).length > 0.8 * some.length;
  };
  const marked = (one, other) => bytes[0] === one && bytes[1] === other;
  if (marked(0xff, 0xfe) || nulls(1)) return new TextDecoder("utf-16le").decode(buffer);
  if (marked(0xfe, 0xff) || nulls(0)) return new TextDecoder("utf-16be").decode(buffer);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer);
  } catch {
    return new TextDecoder("windows-1252").decode(buffer);
  }
}
