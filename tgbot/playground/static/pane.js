// One person: their chats as tabs, the open chat, what they write, the toasts only they see.

import { act } from "./api.js";
import { ChatView } from "./chatview.js";
import { Composer } from "./composer.js";
import { avatar, el, fullName, keepChildren, languageSwitch, paintBadge, setAttribute, setText } from "./dom.js";
import { Notices } from "./notices.js";
import { plainText } from "./richtext.js";
import { count, languageOf, wordsOf } from "./words.js";

const ANSWER_WITHIN_MS = 15_000; // after that Telegram takes no answer to a press any more
const REMEMBERED_ANSWERS = 200;

export class Pane {
  unread = new Map(); // chat id -> messages not seen yet
  visible = true; // false while swiped away on a phone
  #waiting = new Set(); // presses without an answer: { messageId, data, queryId }
  #answered = []; // query ids whose toast came, maybe before we knew the id
  #links = new Map(); // query id -> the link it was answered with, until we know who pressed
  #chosen = false; // a chat was opened by the person
  #head = ""; // what the header was painted from
  #topic; // undefined: all topics, null: General

  /** `onUnread` is called when the number of unread messages changes, `onOpen` when the person opens a chat. */
  constructor(store, personId, onUnread, onOpen = () => {}) {
    this.store = store;
    this.id = personId;
    this.onUnread = onUnread;
    this.onOpen = onOpen;
    this.chatId = this.home;
    this.notices = new Notices(this);
    this.view = new ChatView(this);
    this.composer = new Composer(this);
    this.who = el("div", { class: "who" });
    this.languageBox = el("div");
    this.tabs = el("div", { class: "tabs", role: "tablist" });
    this.topicBar = el("div", { class: "topics", role: "group", hidden: true });
    this.pinBar = el("button", { type: "button", class: "pin-bar", hidden: true, on: { click: () => this.view.jumpTo(this.chat.pinned.at(-1)) } });
    this.footer = el("div", { class: "note-bar", hidden: true });
    this.inner = el("div", { class: "inner" },
      el("header", { class: "pane-head" }, this.who, this.tabs, this.languageBox),
      this.topicBar, this.pinBar, this.view.node, this.footer, this.composer.node);
    this.node = el("section", { class: "pane", data: { person: personId } }, this.inner);
    this.inner.addEventListener("focusin", () => setAttribute(this.view.list, "aria-live", "polite"));
    this.inner.addEventListener("focusout", () => setAttribute(this.view.list, "aria-live", "off"));
    this.tabs.addEventListener("keydown", (event) => this.#walkTabs(event));
    this.show(this.chatId);
  }

  get person() { return this.store.people.get(this.id); }
  get chat() { return this.store.chatsOf(this.person).find((chat) => chat.id === this.chatId); }
  get language() { return languageOf(this.person.language_code); }
  get words() { return wordsOf(this.language); }
  /** The chat they are in unless they open another one. */
  get home() { return this.store.chatsOf(this.person)[0].id; }
  get totalUnread() { return [...this.unread.values()].reduce((sum, number) => sum + number, 0); }

  // ---- what is shown

  /** The person opens one of their chats; it is `noted` unless the address said so. */
  open(chatId, noted = true) {
    this.#chosen = true;
    this.show(chatId);
    if (noted) this.onOpen(this);
    if (!this.visible) return; // it would come in front
    this.tabs.querySelector(`[data-chat="${chatId}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  show(chatId) {
    this.chatId = chatId;
    this.#topic = undefined;
    this.composer.show(chatId);
    this.refresh();
    this.view.reset();
    this.markRead();
  }

  /** Follow changes of people and chats: names, language, membership, topics, rights. */
  refresh() {
    const isNew = !this.#chosen && this.chatId === this.id; // not in a group yet when the pane was made
    const goal = this.chat && !isNew ? this.chatId : this.#heir();
    if (goal !== this.chatId) return this.show(goal);
    const { person, words, language } = this;
    const languageChanged = this.node.lang !== language;
    const head = [language, fullName(person), person.username].join(" ");
    this.node.lang = language;
    this.node.dataset.name = person.first_name;
    setAttribute(this.node, "aria-label", fullName(person));
    if (this.#head !== head) {
      this.#head = head;
      this.who.replaceChildren(avatar(person.id, fullName(person)),
        el("h2", {}, el("bdi", {}, fullName(person))), el("span", { class: "handle" }, person.username && `@${person.username}`));
      this.languageBox.replaceChildren(languageSwitch(language, words.language, (code) =>
        this.try(act("language", { person: person.id, language_code: code }))));
    }
    this.#paintTabs();
    this.#paintTopics();
    this.#paintPin();
    this.#paintFooter();
    this.composer.refresh();
    if (languageChanged) this.view.reset();
    else this.view.render();
  }

  /** Where to be if the chat that was open is gone: what it became, or the first there is. */
  #heir() {
    const heir = this.store.chats.get(this.chatId)?.migrated_to;
    return this.store.chatsOf(this.person).some(({ id }) => id === heir) ? heir : this.home;
  }

  shownMessages() {
    const messages = this.store.messagesOf(this.chatId);
    if (this.#topic === undefined) return messages;
    return messages.filter((message) => (message.topic ?? null) === this.#topic);
  }

  emptyNote() {
    const { words, chat } = this;
    const inTopic = this.#topic !== undefined && chat.messages.length > 0;
    const text = chat.type === "private" ? words.emptyPrivate : inTopic ? words.noTopicYet : words.emptyGroup;
    return el("div", { class: "empty" }, el("img", { src: "/static/icon.svg", alt: "" }), el("p", {}, text),
      !inTopic && el("button", { type: "button", on: { click: () => this.composer.toggleCommands() } }, words.showCommands));
  }

  #paintTabs() {
    const { store, words, language } = this;
    setAttribute(this.tabs, "aria-label", words.chats);
    keepChildren(this.tabs, store.chatsOf(this.person), (chat) => this.#makeTab(chat), (tab, chat) => {
      const isPrivate = chat.type === "private";
      const botIsOut = ["left", "kicked"].includes(chat.bot_status);
      const number = this.unread.get(chat.id) ?? 0;
      setText(tab.querySelector("bdi"), isPrivate ? store.bot.first_name : chat.title);
      setText(tab.querySelector("small"), isPrivate ? words.botChat : botIsOut ? words.noBot : count(words.members, chat.members.length, language));
      setAttribute(tab, "aria-selected", String(chat.id === this.chatId));
      paintBadge(tab.querySelector(".badge"), number, count(words.unread, number, language));
    });
  }

  #walkTabs(event) {
    const tabs = [...this.tabs.children];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length].focus();
  }

  #makeTab({ id, type, title }) {
    const isPrivate = type === "private";
    const name = isPrivate ? this.store.bot.first_name : title;
    return el("button", { type: "button", class: "tab", role: "tab", data: { chat: id }, title: name, "aria-controls": this.view.node.id, on: { click: () => this.open(id) } },
      avatar(id, name, { isBot: isPrivate }),
      el("span", { class: "tab-words" }, el("bdi", {}, name), el("small")), el("span", { class: "badge" }));
  }

  /** What the bot has pinned here last. */
  #paintPin() {
    const pinned = this.store.messagesOf(this.chatId).find(({ id }) => id === this.chat.pinned?.at(-1));
    this.pinBar.hidden = !pinned;
    if (!pinned) return;
    setText(this.pinBar, `📌 ${plainText(pinned.html, this.view.textContext())}`);
    setAttribute(this.pinBar, "aria-label", this.words.pinned);
  }

  #paintTopics() {
    const { chat, words } = this;
    this.topicBar.hidden = !chat.is_forum;
    setAttribute(this.topicBar, "aria-label", words.topics);
    if (!chat.is_forum) this.#topic = undefined;
    const choices = [{ id: undefined, name: words.allTopics }, { id: null, name: words.general }, ...(chat.topics ?? [])];
    keepChildren(this.topicBar, choices, ({ id }) => el("button", {
      type: "button", class: "topic", data: { topic: id ?? (id === null ? "general" : "all") }, on: { click: () => this.#chooseTopic(id) },
    }, el("bdi")), (button, { id, name }) => {
      setText(button.firstChild, name);
      setAttribute(button, "aria-pressed", String(id === this.#topic));
    });
  }

  #chooseTopic(id) {
    this.#topic = id;
    this.#paintTopics();
    this.view.reset();
  }

  /** Under the messages of the private chat: "Start", or that the bot is blocked. */
  #paintFooter() {
    const { chat, person, words } = this;
    const isPrivate = chat.type === "private";
    const needed = isPrivate && (person.blocked ? words.unblock : chat.messages.length === 0 && words.start);
    this.footer.hidden = !needed;
    if (!needed || this.footer.lastElementChild?.textContent === needed) return;
    const action = person.blocked ? () => this.try(act("unblock", { person: this.id })) : () => this.say("/start");
    this.footer.replaceChildren(...(person.blocked ? [el("span", {}, words.blockedNote)] : []),
      el("button", { type: "button", class: "wide", on: { click: action } }, needed));
  }

  // ---- what comes from the server

  messageArrived(chatId, message) {
    if (!this.store.chatsOf(this.person).some((chat) => chat.id === chatId)) return;
    const shown = chatId === this.chatId;
    if (shown) this.view.arrived(message);
    if (shown && chatId === this.id) this.#paintFooter();
    const own = message.sender?.id === this.id;
    if (!own && !(shown && this.visible && this.view.atBottom)) {
      this.unread.set(chatId, (this.unread.get(chatId) ?? 0) + 1);
      this.#unreadChanged();
    }
  }

  messagesChanged(chatId) {
    if (chatId === this.chatId) this.view.renderSoon();
  }

  /** Everything was loaded anew, maybe from a playground that was started again. */
  worldChanged() {
    for (const [chatId, number] of this.unread) {
      const there = this.store.messagesOf(chatId).length;
      if (there === 0) this.unread.delete(chatId);
      else this.unread.set(chatId, Math.min(number, there));
    }
  }

  toasted({ query_id, text, alert, url }) {
    this.#answered.push(query_id);
    if (this.#answered.length > REMEMBERED_ANSWERS) this.#answered.shift();
    const pressedHere = [...this.#waiting].some((wait) => wait.queryId === query_id);
    for (const wait of this.#waiting) if (wait.queryId === query_id) this.#stopWaiting(wait);
    if (alert && text) this.notices.alert(text);
    else this.notices.toast(text);
    if (!url) return;
    if (pressedHere) this.openLink(url);
    else this.#links.set(query_id, url); // maybe of a press in another tab of the browser
  }

  markRead() {
    if (!this.visible || !this.unread.get(this.chatId)) return;
    this.unread.delete(this.chatId);
    this.#unreadChanged();
  }

  #unreadChanged() {
    this.#paintTabs();
    this.onUnread(this);
  }

  // ---- what the person does

  /** Wait for something the person did; a refusal becomes a toast and the result undefined. */
  async try(doing) {
    try {
      return (await doing) ?? null;
    } catch (error) {
      this.notices.toast(error.offline ? this.words.serverGone : error.message, "error");
      return undefined;
    }
  }

  /** A command as Telegram writes it: with the bot's name in a group. */
  addressed(command) {
    return this.chat.type === "private" || command.includes("@") ? command : `${command}@${this.store.bot.username}`;
  }

  say(text, more = {}, chat = this.chatId) {
    const topic = chat === this.chatId ? this.#topic ?? undefined : undefined;
    return this.try(act("say", { person: this.id, chat, text, topic, ...more }));
  }

  /** Send what the bot offered. */
  choose(queryId, resultId) {
    const topic = this.#topic ?? undefined;
    return this.try(act("choose", { person: this.id, chat: this.chatId, query_id: queryId, result_id: resultId, topic }));
  }

  sendCommand(command) {
    return this.say(this.addressed(command));
  }

  async press(message, button) {
    const wait = { messageId: message.id, chatId: message.chat_id, data: button.data, queryId: null };
    this.#waiting.add(wait);
    this.view.paintBusy(message.id);
    const result = await this.try(act("press", {
      person: this.id, chat: message.chat_id, message_id: message.id, data: button.data,
    }));
    wait.queryId = result?.query_id;
    const link = this.#links.get(wait.queryId);
    this.#links.clear();
    if (link) this.openLink(link);
    if (!result || this.#answered.includes(wait.queryId)) this.#stopWaiting(wait);
    else setTimeout(() => this.#stopWaiting(wait), ANSWER_WITHIN_MS);
  }

  isWaiting(messageId, data) {
    return [...this.#waiting].some((wait) =>
      wait.messageId === messageId && wait.data === data && wait.chatId === this.chatId);
  }

  #stopWaiting(wait) {
    this.#waiting.delete(wait);
    this.view.paintBusy(wait.messageId);
  }

  remove(message) {
    this.try(act("delete", { chat: message.chat_id, message_id: message.id }));
  }

  mayEdit(message) {
    return message.sender?.id === this.id && !message.forwarded;
  }

  lastOwnMessage() {
    return this.shownMessages().findLast((message) => this.mayEdit(message));
  }

  /** Into the group that is open, else the first one of theirs; Telegram has the person choose. */
  #bringAlong(word) {
    const groups = this.store.chatsOf(this.person).filter(({ type }) => type !== "private");
    const group = groups.find(({ id }) => id === this.chatId) ?? groups[0];
    if (!group) return this.notices.toast(this.words.noGroup);
    this.open(group.id);
    return this.try(act("start_in", { person: this.id, chat: group.id, word }));
  }

  /** A link or URL button. t.me/<bot>?start=x opens the private chat and sends /start x, as in Telegram. */
  openLink(url, event) {
    const target = botLink(url, this.store.bot.username);
    if (!target) {
      if (!event) window.open(url, "_blank", "noopener");
      return;
    }
    event?.preventDefault();
    if (target.group) return this.#bringAlong(target.group);
    if (target.elsewhere) return this.notices.toast(this.words.noTelegram);
    this.open(this.id);
    if (target.start !== null) this.say(`/start ${target.start}`.trim());
  }
}

/** null for an ordinary web address, { start } or { group } for our bot, { elsewhere: true } for the rest of Telegram. */
function botLink(url, username) {
  if (!URL.canParse(url)) return { elsewhere: true };
  const { protocol, hostname, pathname, searchParams } = new URL(url);
  const isWeb = /^https?:$/.test(protocol);
  if (isWeb && !/^(www\.)?(t|telegram)\.me$/.test(hostname)) return null;
  if (!isWeb && protocol !== "tg:") return null;
  const name = isWeb ? pathname.split("/")[1] : searchParams.get("domain") ?? "";
  const isOurs = name.toLowerCase() === username.toLowerCase();
  if (!isOurs) return { elsewhere: true };
  if (searchParams.get("startgroup")) return { group: searchParams.get("startgroup") };
  return { start: searchParams.get("start") };
}
