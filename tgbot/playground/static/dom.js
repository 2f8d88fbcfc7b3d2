// Small helpers to make DOM nodes. Text always goes in as text, never as HTML.

/**
 * Make an element: `el("button", { class: "key", "aria-label": "Send", on: { click: send } }, "Send")`.
 * `data` sets data-attributes, `on` adds listeners; null, undefined and false leave an attribute out.
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "data") {
      Object.assign(node.dataset, value);
    } else if (name === "value") {
      node.value = value;
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Set an attribute only if it differs; null takes it away. */
export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Set the text only if it differs, so that selections and screen readers are left in peace. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const ICONS = {
  reply: "M10 5 4 11l6 6M4 11h9a7 7 0 0 1 7 7v1",
  edit: "m4 20 1-4L16 5l3 3L8 19zM14 7l3 3",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  send: "M4 12 20 4l-4 16-4-7zM12 13l8-9",
  down: "m6 9 6 6 6-6",
  close: "M6 6l12 12M18 6 6 18",
  people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5a6.5 6.5 0 0 1 3.5 5.5",
  bolt: "M13 3 5 14h6l-1 7 8-11h-6z",
  slash: "M15 5 9 19",
  play: "M7 5v14l12-7z",
  pause: "M8 5v14M16 5v14",
  mask: "M3 8c3-2 6-2 9 0 3-2 6-2 9 0 0 6-2 9-4.5 9-2 0-3-2-4.5-2s-2.5 2-4.5 2C5 17 3 14 3 8ZM7 11h2M15 11h2",
  out: "M9 7h8v8M17 7 7 17",
};

/** A line icon; it is decoration, so the button around it carries the label. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button that shows an icon only. */
export function iconButton(name, label, onClick, className = "") {
  return el("button", {
    type: "button", class: `icon-button ${className}`.trim(), "aria-label": label, title: label, on: { click: onClick },
  }, icon(name));
}

export const fullName = (person) =>
  [person.first_name, person.last_name].filter(Boolean).join(" ") || `#${person.id}`;

/** One of seven colours, the same one for the same id everywhere. */
export const hue = (id) => Math.abs(id) % 7;

function initials(name) {
  const words = name.split(/\s+/).filter((word) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(word));
  const letters = words.map((word) => word.match(/[\p{L}\p{N}]|\p{Extended_Pictographic}/u)[0]);
  const picked = letters.length > 1 ? [letters[0], letters.at(-1)] : letters;
  return picked.join("").toUpperCase() || "?";
}

/** A round picture: the bot's logo, or initials on a colour. */
export function avatar(id, name, { isBot = false } = {}) {
  if (isBot) return el("img", { class: "avatar", src: "/static/icon.svg", alt: "" });
  return el("span", { class: "avatar", data: { hue: hue(id) }, "aria-hidden": "true" }, initials(name));
}

/**
 * Make `parent` hold one child per item, in order. Items have an `id`; the child of an id stays the same
 * node, so a press that is just happening, focus and scrolling survive. `make(item)` and `paint(node, item)`.
 */
export function keepChildren(parent, items, make, paint) {
  const known = (parent.childById ??= new Map());
  const nodes = items.map((item) => {
    if (!known.has(item.id)) known.set(item.id, make(item));
    paint(known.get(item.id), item);
    return known.get(item.id);
  });
  const ids = new Set(items.map((item) => item.id));
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  placeChildren(parent, nodes);
}

/** Make `nodes` the children of `parent` without moving those that already stand right (moving drops focus). */
export function placeChildren(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
  });
}

/** A number in a coloured pill; hidden while it is 0. */
export function paintBadge(node, number, label) {
  node.hidden = number === 0;
  setText(node, String(number));
  setAttribute(node, "aria-label", label);
}

/** "DE | EN": two buttons of which one is pressed. */
export function languageSwitch(current, label, onChange) {
  const buttons = ["de", "en"].map((code) => el("button", {
    type: "button", lang: code, "aria-pressed": String(code === current), data: { language: code },
    "aria-label": code === "de" ? "Deutsch" : "English", on: { click: () => onChange(code) },
  }, code.toUpperCase()));
  return el("div", { class: "languages", role: "group", "aria-label": label }, buttons);
}
