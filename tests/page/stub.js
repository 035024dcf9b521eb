// What the page's modules find when they are imported without a browser.

const html = { dataset: { ranks: "AKQJT98765432", suits: "shdc" }, style: { setProperty() {} } };
globalThis.document = { documentElement: html, getElementById: () => null };
globalThis.fetch = () => new Promise(() => {}); // no server answers
