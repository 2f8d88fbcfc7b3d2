// Toasts and alerts of one pane: nobody else sees them.

import { el } from "./dom.js";

const SHOW_MS = 4000;
const SHOW_LONG_MS = 6000; // for texts of more than two lines
const LONG = 110;
const MAX_LENGTH = 200;

export class Notices {
  #timer = 0;
  #waiting = []; // alerts that have to wait until the one before is read

  constructor(pane) {
    this.pane = pane;
    this.node = el("div", { class: "notices", role: "status", "aria-live": "polite" });
  }

  /** A newer toast takes the place of the one before, as in Telegram. `kind` is "" or "error". */
  toast(text, kind = "") {
    if (!text) return;
    clearTimeout(this.#timer);
    const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
    const node = el("div", { class: `toast ${kind}`.trim(), dir: "auto" },
      kind === "error" && el("span", { "aria-hidden": "true" }, "⚠️ "), shown);
    this.node.replaceChildren(node);
    this.#timer = setTimeout(() => {
      node.classList.add("fading");
      this.#timer = setTimeout(() => node.remove(), 300);
    }, shown.length > LONG ? SHOW_LONG_MS : SHOW_MS);
  }

  /** A modal inside the pane; the rest of the pane is inert until OK. */
  alert(text) {
    this.#waiting.push(text);
    if (this.#waiting.length === 1) this.#showAlert();
  }

  #showAlert() {
    const { pane } = this;
    const back = document.activeElement;
    const mayFocus = back === document.body || pane.node.contains(back);
    const ok = el("button", { type: "button", class: "ok" }, pane.words.ok);
    const textId = `alert-${pane.person.id}`;
    const box = el("div", {
      class: "alert", role: "alertdialog", "aria-modal": "true", "aria-label": pane.words.alert, "aria-describedby": textId,
    }, el("p", { id: textId, dir: "auto" }, this.#waiting[0]), ok);
    const shade = el("div", { class: "shade" }, box);
    const close = () => {
      shade.remove();
      pane.inner.inert = false;
      this.#waiting.shift();
      if (this.#waiting.length) this.#showAlert();
      else if (mayFocus && back.isConnected) back.focus({ preventScroll: true });
    };
    ok.addEventListener("click", close);
    shade.addEventListener("keydown", (event) => event.key === "Escape" && close());
    pane.inner.inert = true;
    pane.node.append(shade);
    if (mayFocus) ok.focus({ preventScroll: true });
  }
}
