// One message: avatar, bubble with text and time, inline keyboard. `update` changes only what is different.

import { clockTime } from "./clock.js";
import { avatar, el, hue, icon, setAttribute, setText } from "./dom.js";
import { plainText, replaceText, richText } from "./richtext.js";
import { fill } from "./words.js";

const STYLES = new Set(["primary", "success", "danger"]);

export class MessageView {
  #placeKey = "";
  #shown = {}; // the values the nodes were painted from

  /** `view` is the ChatView this stands in: it gives language, words and what to do on presses. */
  constructor(view) {
    this.view = view;
    this.node = el("article", { class: "msg", tabindex: "-1" });
  }

  update(message, place) {
    const placeKey = JSON.stringify(place);
    if (message === this.message && placeKey === this.#placeKey) return;
    this.message = message;
    this.#placeKey = placeKey;
    this.node.dataset.message = message.id;
    setAttribute(this.node, "class", classNames(message, place));
    if (message.service) {
      setAttribute(this.node, "data-kind", "service");
      if (this.#differs("service", message.service)) {
        const { kind, names } = message.service;
        const said = fill(this.view.words.services[kind], ...names);
        this.node.replaceChildren(el("p", { class: "service-text" }, el("bdi", {}, said)));
      }
      return;
    }
    if (!this.bubble) this.#build();
    this.#head(message, place);
    this.#photo(message);
    this.#document(message);
    if (this.#differs("html", message.html)) {
      replaceText(this.body, message.html, this.view.textContext());
      this.body.classList.toggle("jumbo", isJumbo(message));
    }
    this.#meta(message);
    this.#keyboard(message);
  }

  #build() {
    this.side = el("div", { class: "side" });
    this.headLines = el("div", { class: "head" });
    this.body = el("span", { class: "body", dir: "auto" });
    this.editedLabel = el("span", { class: "edited" });
    this.time = el("time", { class: "clock" });
    this.meta = el("span", { class: "meta" }, this.editedLabel, this.time);
    this.text = el("div", { class: "text" }, this.body, this.meta);
    this.bubble = el("div", { class: "bubble" }, this.headLines, this.text);
    this.keys = el("div", { class: "keys", hidden: true });
    this.node.append(this.side, el("div", { class: "stack" }, this.bubble, this.keys));
  }

  #differs(name, value) {
    const text = JSON.stringify(value) ?? "";
    if (this.#shown[name] === text) return false;
    this.#shown[name] = text;
    return true;
  }

  /** Sender, "forwarded" and the message it answers. */
  #head(message, place) {
    const { words } = this.view;
    const name = message.sender?.name ?? "";
    if (this.#differs("avatar", [place.avatar, name])) {
      this.side.replaceChildren(...(place.avatar ? [avatar(place.faceId, name, { isBot: place.isOurBot })] : []));
    }
    if (!this.#differs("head", [place.sender, place.role, name, message.via, message.forwarded, message.reply_to])) return;
    const lines = [];
    if (place.sender) {
      lines.push(el("div", { class: "sender", data: { hue: hue(place.faceId) } },
        el("bdi", {}, name), place.role && el("span", { class: "role" }, place.role)));
    }
    if (message.via) lines.push(el("div", { class: "forwarded" }, fill(words.via, message.via)));
    if (message.forwarded) lines.push(el("div", { class: "forwarded" }, words.forwarded));
    if (message.reply_to) lines.push(this.#quote(message.reply_to));
    this.headLines.replaceChildren(...lines);
  }

  #quote({ id, name, html }) {
    const quoted = html ? richText(html, this.view.textContext()) : this.view.words.photo;
    return el("button", {
      type: "button", class: "quote", on: { click: () => this.view.jumpTo(id) },
    }, el("b", {}, el("bdi", {}, name)), el("span", { dir: "auto" }, quoted));
  }

  #photo(message) {
    if (!this.#differs("photo", message.photo)) return;
    this.picture?.remove();
    this.picture = null;
    if (!message.photo) return;
    const label = plainText(message.html, this.view.textContext()) || this.view.words.photo;
    this.picture = el("button", {
      type: "button", class: "photo", on: { click: () => this.view.enlarge(message.photo, label) },
    }, el("img", { src: message.photo, alt: label }));
    this.headLines.after(this.picture);
  }

  #document(message) {
    if (!this.#differs("document", message.document?.url)) return;
    this.attached?.remove();
    this.attached = null;
    if (!message.document) return;
    const { name, size, url } = message.document;
    this.attached = el("a", { class: "document", href: url, download: name }, el("span", { "aria-hidden": "true" }, "📄"),
      el("span", {}, el("b", {}, el("bdi", {}, name)), el("small", {}, `${(size / 1024).toFixed(1)} kB`)));
    this.headLines.after(this.attached);
  }

  #meta(message) {
    setText(this.editedLabel, message.edited ? this.view.words.edited : "");
    setText(this.time, clockTime(message.date, this.view.language));
    setAttribute(this.time, "datetime", new Date(message.date * 1000).toISOString());
  }

  /** Rows and buttons are matched by position, so a button that stays keeps its focus and its spinner. */
  #keyboard(message) {
    const rows = message.buttons ?? [];
    this.keys.hidden = rows.length === 0;
    setAttribute(this.node, "data-columns", rows.length ? Math.max(...rows.map((row) => row.length)) : null);
    matchChildren(this.keys, rows, {
      make: () => el("div", { class: "row" }),
      paint: (rowNode, row) => {
        setAttribute(rowNode, "data-size", row.length);
        matchChildren(rowNode, row, { make: makeKey, fits: isRightTag, paint: (node, button) => this.#key(node, button) });
      },
    });
    this.paintBusy();
  }

  #key(node, button) {
    setAttribute(node, "class", `key ${STYLES.has(button.style) ? button.style : ""} ${button.url ? "url" : ""}`.trim());
    setText(node.querySelector(".label"), glued(button.text));
    setAttribute(node, "title", button.text.length > 12 ? button.text : null);
    if (button.url) {
      node.href = button.url;
      node.onclick = (event) => this.view.openLink(button.url, event);
    } else {
      node.dataset.data = button.data ?? "";
      node.onclick = () => this.view.press(this.message, button);
    }
  }

  /** A tiny spinner on every button whose press has not been answered yet. */
  paintBusy() {
    for (const node of this.keys?.querySelectorAll("button.key") ?? []) {
      const busy = this.view.isWaiting(this.message.id, node.dataset.data);
      setAttribute(node, "aria-busy", busy ? "true" : null);
    }
  }
}

/** No line breaks after the emoji a label begins with. */
const glued = (text) => text.replace(/^(\p{Extended_Pictographic}[\p{Extended_Pictographic}\u{FE0F}\u{200D}]*) /u, "$1\u00A0");

function makeKey(button) {
  const label = el("span", { class: "label", dir: "auto" });
  if (button.url) return el("a", { class: "key", target: "_blank", rel: "noopener noreferrer" }, label, icon("out"));
  return el("button", { type: "button", class: "key" }, label);
}

const isRightTag = (node, button) => node.tagName === (button.url ? "A" : "BUTTON");

/** Make `parent` hold one child for each item: reuse by position if it fits, drop what is left over. */
function matchChildren(parent, items, { make, fits = () => true, paint }) {
  items.forEach((item, at) => {
    const present = parent.children[at];
    const child = present && fits(present, item) ? present : make(item);
    if (!present) parent.append(child);
    else if (present !== child) present.replaceWith(child);
    paint(child, item);
  });
  while (parent.children.length > items.length) parent.lastElementChild.remove();
}

function classNames(message, place) {
  if (message.service) return "msg service";
  return ["msg", place.own ? "out" : "in", place.first && "first", place.last && "last",
    message.photo && "with-photo", !message.html && "no-text"].filter(Boolean).join(" ");
}

/** One to three emoji alone are shown large. */
function isJumbo(message) {
  return /^(\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}\uFE0F\u200D]*){1,3}$/u.test(message.html.trim());
}
