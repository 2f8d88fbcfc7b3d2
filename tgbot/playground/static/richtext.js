// Turns the server's HTML of a message into DOM nodes.
//
// The server has escaped it already. It is still rebuilt tag by tag from a list of what Telegram knows, so
// that a slip there cannot become a script here.

import { el } from "./dom.js";
import { paintTime } from "./clock.js";

const TAGS = new Set(["B", "STRONG", "I", "EM", "U", "INS", "S", "STRIKE", "DEL", "CODE", "PRE", "BLOCKQUOTE",
  "SPAN", "TG-SPOILER", "TG-EMOJI", "A", "TIME", "BR"]);
const BLOCKS = new Set(["PRE", "BLOCKQUOTE"]);
const SAFE_LINK = /^(https?:|tg:|mailto:)/i;

/**
 * A fragment for one message. `context` has `language`, `now`, `words` and the callbacks
 * `onLink(url, event)` and `onCommand(text)`.
 */
export function richText(html, context) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const fragment = document.createDocumentFragment();
  copyChildren(template.content, fragment, context);
  return fragment;
}

/** The same as one line of plain text, for previews and labels. */
export function plainText(html, { now, language }) {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const time of template.content.querySelectorAll("time")) paintTime(time, now, language);
  return template.content.textContent.replace(/\s+/g, " ").trim();
}

function copyChildren(source, target, context) {
  for (const node of source.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) {
      target.append(withoutBlockGaps(node));
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      const copy = TAGS.has(node.tagName) ? copyTag(node, context) : null;
      copyChildren(node, copy?.querySelector(".inner") ?? copy ?? target, context);
      if (copy) target.append(copy);
      if (copy && node.tagName === "TIME") paintTime(copy, context.now, context.language);
    }
  }
}

function copyTag(node, context) {
  return COPIES[node.tagName]?.(node, context) ?? el(node.tagName.toLowerCase());
}

/** A line break next to a block would show as an empty line: the block breaks the line by itself. */
function withoutBlockGaps(node) {
  let text = node.data;
  if (BLOCKS.has(node.previousSibling?.tagName)) text = text.replace(/^\n/, "");
  if (BLOCKS.has(node.nextSibling?.tagName)) text = text.replace(/\n$/, "");
  return text;
}

// How the tags are copied that are more than themselves. A node inside with class "inner" takes the content.
const COPIES = {
  A(node, context) {
    const url = node.getAttribute("href") ?? "";
    if (!SAFE_LINK.test(url)) return el("span", { class: "mention" });
    return el("a", {
      href: url, target: "_blank", rel: "noopener noreferrer", on: { click: (event) => context.onLink(url, event) },
    });
  },

  PRE(_node, context) {
    return el("pre", { tabindex: "0", role: "region", "aria-label": context.words.table });
  },

  TIME(node) {
    return el("time", { data: { unix: node.dataset.unix ?? "", format: node.dataset.format ?? "" } });
  },

  SPAN(node, context) {
    if (/spoiler/.test(node.className)) return spoiler(context);
    if (node.className === "bot-command") return command(node.textContent, context);
    return el("span", { class: /mention|hashtag/.test(node.className) ? "mention" : null });
  },

  "TG-SPOILER": (_node, context) => spoiler(context),

  BLOCKQUOTE(node, context) {
    if (!node.hasAttribute("expandable") && !/expandable/.test(node.className)) return el("blockquote");
    const quote = el("blockquote", { class: "expandable" }, el("div", { class: "inner" }));
    const toggle = el("button", { type: "button", class: "expand", "aria-expanded": "false" }, context.words.more);
    toggle.addEventListener("click", () => setExpanded(quote, quote.dataset.open === undefined, context.words));
    quote.append(toggle);
    return quote;
  },
};

function setExpanded(quote, open, words) {
  const toggle = quote.querySelector(".expand");
  if (open) quote.dataset.open = "";
  else delete quote.dataset.open;
  toggle.setAttribute("aria-expanded", String(open));
  toggle.textContent = open ? words.less : words.more;
}

function command(text, context) {
  return el("button", { type: "button", class: "link", on: { click: () => context.onCommand(text) } });
}

function spoiler(context) {
  const inner = el("span", { class: "inner", "aria-hidden": "true" });
  const node = el("span", { class: "spoiler", role: "button", tabindex: "0", "aria-label": context.words.spoiler }, inner);
  const reveal = (event) => {
    if (node.classList.contains("open") || (event.type === "keydown" && !["Enter", " "].includes(event.key))) return;
    event.preventDefault();
    node.classList.add("open");
    inner.removeAttribute("aria-hidden");
    for (const name of ["role", "tabindex", "aria-label"]) node.removeAttribute(name);
  };
  node.addEventListener("click", reveal);
  node.addEventListener("keydown", reveal);
  return node;
}

/** Put a new text in, keeping what the reader had opened or scrolled sideways. */
export function replaceText(body, html, context) {
  const open = [...body.querySelectorAll("blockquote.expandable")].map((quote) => quote.dataset.open !== undefined);
  const scrolled = [...body.querySelectorAll("pre")].map((pre) => pre.scrollLeft);
  body.replaceChildren(richText(html, context));
  body.querySelectorAll("blockquote.expandable").forEach((quote, at) => {
    if (open[at]) setExpanded(quote, true, context.words);
  });
  body.querySelectorAll("pre").forEach((pre, at) => {
    if (scrolled[at]) pre.scrollLeft = scrolled[at];
  });
}
