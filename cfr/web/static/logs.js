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

const [SAMPLE, SOME] = [400, 64]; // bytes that tell UTF-16 without a mark, and where other text was before

/** The text of a log's file: UTF-16 where its mark or its nulls say so, else UTF-8, else cp1252; as cfr/system/disk/decoded.py. */
export async function decoded(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  let wide = marked(bytes, 0) || wideOf(bytes.subarray(0, SAMPLE), 0.8);
  for (let place = 0; place < bytes.length; ) {
    const { end, following } = wide ? { end: endOfWide(bytes, place, wide), following: "" } : nextWide(bytes, place);
    const run = bytes.subarray(place, end);
    text += wide ? new TextDecoder(wide, { ignoreBOM: true }).decode(run) : narrow(run);
    [place, wide] = [end, following];
  }
  return text.replace(/^\ufeff/, "");
}

/** The UTF-16 whose byte-order mark stands at a place, or an empty text. */
function marked(bytes, place) {
  if (bytes[place] === 0xff && bytes[place + 1] === 0xfe) return "utf-16le";
  return bytes[place] === 0xfe && bytes[place + 1] === 0xff ? "utf-16be" : "";
}

/** The UTF-16 of which a sample is, by its zeros, or an empty text. */
function wideOf(sample, share) {
  for (const [name, first] of [["utf-16le", 1], ["utf-16be", 0]]) {
    const some = sample.filter((_, place) => place % 2 === first);
    if (some.length > 1 && some.filter((each) => each === 0).length > share * some.length) return name;
  }
  return "";
}

/** Where UTF-16 ends: after a line of it, where text of one byte a character follows. */
function endOfWide(bytes, begin, wide) {
  const [one, other] = wide === "utf-16le" ? [0x0a, 0] : [0, 0x0a];
  for (let place = begin; place < bytes.length; place += 2) {
    if (bytes[place] !== one || bytes[place + 1] !== other) continue;
    const mark = bytes[place + 2] === 0xef ? 3 : 0;
    const some = bytes.subarray(place + 2 + mark, place + 22 + mark);
    if (some.length === 20 && some.every((byte) => byte >= 0x20 && byte < 0x7f)) return place + 2;
  }
  return bytes.length;
}

/** Where UTF-16 begins at or after a place, and which one; the end if it does not. */
function nextWide(bytes, begin) {
  for (let zero = bytes.indexOf(0, begin); zero >= 0; zero = bytes.indexOf(0, zero + 1)) {
    const kinds = [[zero - 1, "utf-16le"], [zero, "utf-16be"]];
    if (bytes[zero - 1] === 0x0a) kinds.reverse();
    for (const [start, name] of kinds) {
      if (wideOf(bytes.subarray(Math.max(start, begin), Math.max(start + SOME, 0)), 0.6) !== name) continue;
      return { end: start >= begin + 2 && marked(bytes, start - 2) ? start - 2 : start, following: name };
    }
    begin = zero + 1;
  }
  return { end: bytes.length, following: "" };
}

/** Text of one byte a character, or of UTF-8: line by line where it is not UTF-8 as a whole. */
function narrow(bytes) {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return strict.decode(bytes);
  } catch {
    let text = "";
    for (let place = 0; place < bytes.length; ) {
      const end = bytes.subarray(place).findIndex((byte) => byte === 0x0a || byte === 0x0d) + place + 1;
      const line = bytes.subarray(place, end > place ? end : bytes.length);
      try {
        text += strict.decode(line);
      } catch {
        text += new TextDecoder("windows-1252").decode(line);
      }
      place += line.length;
    }
    return text;
  }
}
