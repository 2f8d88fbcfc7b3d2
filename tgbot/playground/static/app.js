// The playground page: people side by side, each with the group and their private chat with the bot.
//
//   store.js     what the server told us          pane.js      one person
//   api.js       talking to the server            chatview.js  the list of messages
//   drawer.js    people, groups, faults           message.js   one bubble with its keyboard
//   words.js     German and English               richtext.js  the text inside a bubble
//   clock.js     countdowns and dates             composer.js  writing, slash commands
//   hands.js     people who play by themselves    address.js   who and where, in the page's address

import { readAddress, writeAddress } from "./address.js";
import { startClock } from "./clock.js";
import { avatar, el, fullName, icon, keepChildren, languageSwitch, paintBadge, setAttribute, setText } from "./dom.js";
import { Drawer } from "./drawer.js";
import { activeFaults } from "./faults.js";
import { Hands } from "./hands.js";
import { Pane } from "./pane.js";
import { Store } from "./store.js";
import { count, fill, languageOf, wordsOf } from "./words.js";

const LANGUAGE_KEY = "dicehall-language";
const HINTED_KEY = "dicehall-hinted"; // set once somebody knows what to do
const MOST_NAMED = 3;

const store = new Store();
const panes = new Map(); // person id -> Pane
const $ = (selector) => document.querySelector(selector);
const panesNode = $(".panes");
const switcher = $(".switcher");
const hands = new Hands(store, (id) => panes.get(id), paintTop);
const drawer = new Drawer(store, $(".drawer"), paintTop, hands);
const phone = matchMedia("(max-width: 720px)");
let chosen = languageOf(localStorage.getItem(LANGUAGE_KEY) ?? navigator.language);
let language = chosen; // what the page speaks

// A pane that is less than half on the screen does not count as read.
const watcher = new IntersectionObserver((entries) => {
  for (const { target, intersectionRatio } of entries) {
    const pane = panes.get(Number(target.dataset.person));
    if (!pane) continue;
    pane.visible = intersectionRatio > 0.5;
    if (pane.visible && isNarrow()) noteWhere(pane);
    if (pane.visible && pane.view.atBottom) pane.markRead();
  }
  paintTop();
  switcher.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}, { root: panesNode, threshold: [0.5, 0.51] });

function paintPanes() {
  for (const person of store.people.values()) {
    if (panes.has(person.id)) {
      panes.get(person.id).refresh();
      continue;
    }
    const pane = new Pane(store, person.id, paintSwitcher, noteOpened);
    panes.set(person.id, pane);
    panesNode.append(pane.node);
    pane.view.toBottom();
    watcher.observe(pane.node);
  }
  for (const [id, pane] of panes) {
    if (store.people.has(id)) continue;
    watcher.unobserve(pane.node);
    pane.node.remove();
    panes.delete(id);
  }
  paintSwitcher();
}

// ---- the bar on top

/** On a phone the page speaks like the person in front: it is theirs. */
function pageLanguage() {
  const front = phone.matches && [...panes.values()].find(({ visible }) => visible);
  return front ? front.language : chosen;
}

function paintTop() {
  language = pageLanguage();
  drawer.setLanguage(language);
  const words = wordsOf(language);
  const on = activeFaults(store.faults);
  document.documentElement.lang = language;
  setText($(".honest > span"), words.honest);
  setText($(".honest a span"), words.verify);
  setAttribute($(".honest a"), "aria-label", words.verify);
  setAttribute($(".honest a"), "href", `/verify#${language}`);
  setText($(".offline"), words.offline);
  const others = [...store.people.values()].slice(1);
  const playing = others.length > 0 && others.every(({ id }) => hands.plays(id));
  const names = listed(others);
  const tools = [
    ...(others.length ? [{ id: "hands", icon: playing ? "pause" : "play", text: fill(playing ? words.stopPlaying : words.letPlay, names), badge: 0, pressed: playing }] : []),
    { id: "people", icon: "people", text: words.peopleAndGroups, badge: 0 },
    { id: "faults", icon: "bolt", text: words.faults, badge: on },
  ];
  keepChildren($(".tools"), [...tools, { id: language }], makeTool, (node, { id, icon: name, text, badge, pressed }) => {
    if (!text) return;
    setAttribute(node, "aria-pressed", pressed === undefined ? null : String(pressed));
    if (id === "hands" && node.dataset.icon !== name) {
      node.dataset.icon = name;
      node.firstChild.replaceWith(icon(name));
    }
    setText(node.querySelector(".tool-text"), text);
    setAttribute(node, "title", text);
    setAttribute(node, "aria-label", badge ? fill(words.faultsOn, badge) : text);
    setAttribute(node, "aria-expanded", id === "hands" ? null : String(drawer.open === id));
    paintBadge(node.querySelector(".badge"), badge);
  });
  paintHint();
  paintSwitcher();
}

/** Their names, of many only the first and how many more. */
function listed(people) {
  const names = people.map(({ first_name }) => first_name);
  const more = names.length > MOST_NAMED ? names.splice(1).length : 0;
  if (more) names.push(fill(wordsOf(language).others, more));
  return new Intl.ListFormat(language).format(names);
}

/** What to do here, to whoever sees the page for the first time. */
function paintHint() {
  const node = $(".hint");
  const [first, ...others] = store.people.values();
  node.hidden = Boolean(localStorage.getItem(HINTED_KEY)) || others.length === 0;
  if (node.hidden) return node.replaceChildren();
  const words = wordsOf(language);
  const text = fill(words.hint, listed([first, ...others]), first.first_name);
  if (node.firstChild?.textContent === text) return;
  const button = (style, label, click) => el("button", { type: "button", class: style, on: { click } }, label);
  node.replaceChildren(el("p", {}, text),
    button("plain good", fill(words.letPlay, listed(others)), toggleHands), button("plain", words.understood, hinted));
}

function hinted() {
  localStorage.setItem(HINTED_KEY, "yes");
  paintHint();
}

function makeTool({ id, icon: iconName }) {
  if (!iconName) return languageSwitch(language, wordsOf(language).pageLanguage, setLanguage);
  const click = id === "hands" ? toggleHands : () => drawer.toggle(id);
  return el("button", { type: "button", class: "tool", data: id === "hands" ? { hands: "" } : { drawer: id }, on: { click } },
    icon(iconName), el("span", { class: "tool-text" }), el("span", { class: "badge" }));
}

/** All but the first person play by themselves, or nobody does. */
function toggleHands() {
  hinted();
  const others = [...store.people.keys()].slice(1);
  const on = !others.every((id) => hands.plays(id));
  for (const id of others) hands.set(id, on);
  drawer.rebuild();
}

function setLanguage(code) {
  chosen = code;
  localStorage.setItem(LANGUAGE_KEY, code);
  paintTop();
}

/** The people as buttons: on a phone to choose who is shown, otherwise if not all panes fit. */
function paintSwitcher() {
  const words = wordsOf(language);
  setAttribute(switcher, "aria-label", words.peopleSwitch);
  keepChildren(switcher, [...panes.values()], (pane) => el("button", {
    type: "button", class: "person-button", data: { for: pane.id }, on: { click: () => show(pane) },
  }, avatar(pane.id, fullName(pane.person)), el("bdi", {}, pane.person.first_name), el("span", { class: "badge" })), (button, pane) => {
    setAttribute(button, "aria-current", pane.visible ? "true" : null);
    paintBadge(button.querySelector(".badge"), pane.totalUnread, count(words.unread, pane.totalUnread, language));
  });
  document.body.classList.toggle("overflowing", isNarrow());
}

function isNarrow() {
  return panesNode.scrollWidth > panesNode.clientWidth + 1;
}

/** Note who sits in front, and in which chats the others are. */
function noteWhere(front, ours = true) {
  const others = [...panes.values()].filter((pane) => pane !== front && pane.chatId !== pane.home);
  writeAddress(front, others, ours);
}

/** Somebody has opened a chat; who plays by themselves takes nobody's place in front. */
function noteOpened(pane) {
  const byItself = hands.plays(pane.id);
  noteWhere((byItself && panes.get(readAddress()[0]?.person)) || pane, !byItself);
}

/** Who and where the address says, if they are there. */
function goToAddress() {
  const places = readAddress();
  const front = panes.get(places[0]?.person);
  if (!front) return;
  for (const pane of panes.values()) {
    const chat = places.find(({ person }) => person === pane.id)?.chat ?? pane.home;
    if (chat !== pane.chatId && store.chatsOf(pane.person).some(({ id }) => id === chat)) pane.open(chat, false);
  }
  if (!front.visible) front.node.scrollIntoView({ inline: "start", block: "nearest", behavior: "instant" });
}

function show(pane) {
  noteWhere(pane);
  pane.node.scrollIntoView({ inline: "start", block: "nearest", behavior: "smooth" });
}

panesNode.addEventListener("click", ({ target }) => target.closest(".key") && hinted());
phone.addEventListener("change", paintTop);
new ResizeObserver(paintSwitcher).observe(panesNode);
addEventListener("popstate", goToAddress);

// B jumps to the newest board of the pane one is in, or of all that are seen, ready to press.
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "b" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("textarea, input, select")) return;
  const within = panes.get(Number(event.target.closest?.("[data-person]")?.dataset.person));
  const seen = within ? [within] : [...panes.values()].filter(({ visible }) => visible);
  seen.forEach((pane, at) => pane.view.toBoard(at === 0));
});

// ---- what the server says

store.listen((change) => {
  switch (change.type) {
    case "world":
      $(".offline").hidden = true;
      for (const pane of panes.values()) pane.worldChanged();
      paintPanes();
      paintTop();
      drawer.rebuild();
      goToAddress();
      break;
    case "people":
    case "chats":
      paintPanes();
      paintTop();
      drawer.rebuild();
      break;
    case "message":
      for (const pane of panes.values()) pane.messageArrived(change.chatId, change.message);
      break;
    case "edited":
      for (const pane of panes.values()) pane.messagesChanged(change.chatId);
      break;
    case "deleted":
      for (const pane of panes.values()) {
        pane.messagesChanged(change.chatId);
        if (pane.chatId === change.chatId) pane.composer.forget(change.messageId);
      }
      break;
    case "toast":
      panes.get(change.person_id)?.toasted(change);
      break;
    case "inline":
      panes.get(change.person_id)?.composer.offered(change);
      break;
    case "faults":
      paintTop();
      drawer.faultsChanged();
      break;
    case "lost":
      $(".offline").hidden = false;
      break;
  }
});

paintTop();
startClock(store, (node) => languageOf(node.closest("[lang]")?.lang));
store.start();
