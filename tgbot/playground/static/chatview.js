// The list of messages of one chat in one pane: order, grouping, scrolling, actions on a message.

import { dayKey, dayName } from "./clock.js";
import { el, icon, iconButton, placeChildren, setAttribute, setText } from "./dom.js";
import { MessageView } from "./message.js";
import { count } from "./words.js";

const GROUP_GAP_S = 600; // messages of one sender further apart than this are not drawn together
const NEAR_BOTTOM_PX = 48;

export class ChatView {
  #views = new Map(); // message id -> MessageView
  #days = new Map(); // day -> separator node
  #emptyNote = null;
  #frame = null; // a render that is due
  #stick = true; // stay at the bottom while things grow
  #lastTop = 0; // where the list was scrolled to
  #fresh = 0; // messages that came while scrolled up

  constructor(pane) {
    this.pane = pane;
    this.list = el("div", { class: "list", role: "log", "aria-live": "off" });
    this.scroller = el("div", { class: "scroller", tabindex: "0" }, this.list);
    this.pill = el("button", { type: "button", class: "pill", on: { click: () => this.toBottom(true) } },
      el("span"), icon("down"));
    this.boardKey = el("button", { type: "button", class: "pill board-key", on: { click: () => this.toBoard() } });
    this.jumps = el("div", { class: "jumps", hidden: true }, this.boardKey, this.pill);
    this.node = el("div", { class: "chat", id: `chat-${pane.id}`, role: "tabpanel" }, this.scroller, this.jumps, pane.notices.node);
    this.toolbar = el("div", { class: "toolbar", role: "group" });

    this.scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.#onKey(event));
    this.list.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.#offerActions(event.target));
    this.list.addEventListener("focusin", ({ target }) => target.matches(":focus-visible") && this.#offerActions(target));
    this.list.addEventListener("click", (event) => this.#onTap(event));
    this.list.addEventListener("dblclick", (event) => this.#onDoubleClick(event));
    this.scroller.addEventListener("pointerleave", () => !this.toolbar.contains(document.activeElement) && this.toolbar.remove());
    const resized = new ResizeObserver(() => this.#stick && this.toBottom());
    resized.observe(this.list);
    resized.observe(this.scroller);
  }

  get language() { return this.pane.language; }
  get words() { return this.pane.words; }
  get atBottom() { return this.#stick; }

  textContext() {
    return {
      language: this.language, now: this.pane.store.now(), words: this.words,
      onLink: (url, event) => this.openLink(url, event), onCommand: (command) => this.pane.sendCommand(command),
    };
  }

  // ---- drawing

  /** Show a chat from scratch, e.g. after switching to it or changing the language. */
  reset() {
    this.#views.clear();
    this.#days.clear();
    this.list.replaceChildren();
    this.#stick = true;
    this.#fresh = 0;
    this.#emptyNote = null;
    setAttribute(this.scroller, "aria-label", this.words.messages);
    this.render();
    this.toBottom();
  }

  /** Bring the list in line with the store, touching only what changed. */
  render() {
    const messages = this.pane.shownMessages();
    const nodes = [];
    messages.forEach((message, at) => {
      const before = messages[at - 1];
      if (!before || dayKey(before.date) !== dayKey(message.date)) nodes.push(this.#day(message));
      let view = this.#views.get(message.id);
      if (!view || Boolean(view.message.service) !== Boolean(message.service)) this.#views.set(message.id, (view = new MessageView(this)));
      view.update(message, this.#place(message, before, messages[at + 1]));
      nodes.push(view.node);
    });
    const ids = new Set(messages.map((message) => message.id));
    for (const id of this.#views.keys()) if (!ids.has(id)) this.#views.delete(id);
    if (messages.every((message) => message.service)) nodes.push(this.#emptyNote ??= this.pane.emptyNote());
    setAttribute(this.list, "data-kind", this.pane.chat.type === "private" ? "private" : "group");
    placeChildren(this.list, nodes);
    this.#paintPill();
  }

  /** Render once before the next frame, however many messages come until then. */
  renderSoon() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      if (!this.node.isConnected) return;
      this.render();
      if (this.#stick) this.toBottom();
    });
  }

  /** A message came; count it if the reader is further up. */
  arrived(message) {
    const own = message.sender?.id === this.pane.person.id;
    if (own) this.#stick = true;
    else if (!this.#stick) this.#fresh += 1;
    this.renderSoon();
  }

  paintBusy(messageId) {
    this.#views.get(messageId)?.paintBusy();
  }

  #day(message) {
    const key = dayKey(message.date);
    if (!this.#days.has(key)) this.#days.set(key, el("div", { class: "day" }, el("span")));
    const node = this.#days.get(key);
    setText(node.firstChild, dayName(message.date, this.pane.store.now(), this.language));
    return node;
  }

  #place(message, before, after) {
    const { store, chat, person } = this.pane;
    const own = message.sender?.id === person.id;
    const inGroup = chat.type !== "private";
    const first = !belongTogether(before, message);
    const last = !belongTogether(message, after);
    const isOurBot = message.sender?.id === store.bot.id;
    return {
      own, first, last, isOurBot, faceId: this.#faceId(message.sender, chat), avatar: inGroup && !own && last, sender: inGroup && !own && first,
      role: this.#role(message.sender, chat),
    };
  }

  /** An anonymous admin shows the face of the group. */
  #faceId(sender, chat) {
    return sender?.is_bot && sender.name === chat.title ? chat.id : sender?.id ?? 0;
  }

  #role(sender, chat) {
    if (!sender || chat.type === "private") return "";
    if (sender.id === this.pane.store.bot.id) return this.words.bot;
    if (sender.is_bot) return sender.name === chat.title ? this.words.admins : this.words.channel;
    const status = this.pane.store.statusOf(chat, sender.id);
    return { creator: this.words.owner, administrator: this.words.admin }[status] ?? "";
  }

  // ---- scrolling

  toBottom(smooth = false) {
    this.scroller.scrollTo({ top: this.scroller.scrollHeight, behavior: smooth ? "smooth" : "instant" });
  }

  /** Jump to the newest message with a keyboard; `focused`: its first button is the next to press. */
  toBoard(focused = false) {
    const board = this.#newestBoard();
    if (!board) return;
    this.jumpTo(board.id);
    if (focused) this.#views.get(board.id)?.keys.querySelector(".key")?.focus({ preventScroll: true });
  }

  #newestBoard() {
    return this.pane.shownMessages().findLast(({ buttons }) => buttons?.length);
  }

  jumpTo(messageId) {
    const view = this.#views.get(messageId);
    if (!view) return this.pane.notices.toast(this.words.gone);
    view.node.scrollIntoView({ block: "center", behavior: "smooth" });
    view.node.classList.add("flash");
    setTimeout(() => view.node.classList.remove("flash"), 1600);
  }

  #onScroll() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    const atBottom = scrollHeight - scrollTop - clientHeight < NEAR_BOTTOM_PX;
    // Growth (a picture loads) also leaves the bottom out of sight; only scrolling up lets go of it.
    if (atBottom || scrollTop < this.#lastTop) this.#stick = atBottom;
    this.#lastTop = scrollTop;
    if (this.#stick) {
      this.#fresh = 0;
      this.pane.markRead();
    }
    this.#paintPill();
  }

  /** Scrolled up there is a way back, below the messages: it must not lie on the buttons of one. */
  #paintPill() {
    this.jumps.hidden = this.#stick;
    this.boardKey.hidden = !this.#newestBoard();
    setText(this.boardKey, `🎲 ${this.words.toBoard}`);
    setAttribute(this.boardKey, "title", `${this.words.toBoard} (B)`);
    const text = this.#fresh ? count(this.words.unread, this.#fresh, this.language) : "";
    setText(this.pill.firstChild, text);
    setAttribute(this.pill, "aria-label", text || this.words.toBottom);
  }

  // ---- actions on a message

  #messageAt(target) {
    const node = target.closest?.(".msg:not(.service)");
    return node ? this.#views.get(Number(node.dataset.message)) : undefined;
  }

  #offerActions(target) {
    const view = target.closest?.(".keys") ? undefined : this.#messageAt(target);
    if (!view || this.toolbar.parentNode === view.bubble) return;
    const { message } = view;
    const button = (name, label, action) => iconButton(name, label, () => { this.toolbar.remove(); action(); }, `action-${name}`);
    this.toolbar.replaceChildren(button("reply", this.words.reply, () => this.pane.composer.reply(message)));
    if (this.pane.mayEdit(message)) {
      this.toolbar.append(button("edit", this.words.edit, () => this.pane.composer.edit(message)));
    }
    this.toolbar.append(button("trash", this.words.remove, () => this.pane.remove(message)));
    setAttribute(this.toolbar, "aria-label", this.words.actions);
    view.bubble.append(this.toolbar);
  }

  #onTap(event) {
    if (event.target.closest("button, a, .spoiler, pre")) return;
    this.#offerActions(event.target);
  }

  #onDoubleClick(event) {
    if (event.target.closest("button, a, .keys")) return;
    const view = this.#messageAt(event.target);
    if (!view) return;
    getSelection()?.removeAllRanges();
    this.pane.composer.reply(view.message);
  }

  /** Arrow keys go from message to message; Tab then reaches the buttons of that one. */
  #onKey(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || event.target.closest("pre, button, a")) return;
    const nodes = [...this.list.querySelectorAll(".msg")];
    const at = nodes.indexOf(document.activeElement.closest(".msg"));
    const next = at < 0 ? nodes.at(-1) : nodes[at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }

  // ---- passed on to the pane

  press(message, button) { this.pane.press(message, button); }
  isWaiting(messageId, data) { return this.pane.isWaiting(messageId, data); }
  openLink(url, event) { this.pane.openLink(url, event); }

  enlarge(url, label) {
    const dialog = el("dialog", { class: "lightbox", "aria-label": label, on: { close: () => dialog.remove(), click: () => dialog.close() } },
      el("img", { src: url, alt: label }), iconButton("close", this.words.close, () => dialog.close()));
    document.body.append(dialog);
    dialog.showModal();
  }
}

function belongTogether(one, other) {
  return Boolean(one && other && !one.service && !other.service
    && one.sender?.id === other.sender?.id && (one.topic ?? null) === (other.topic ?? null)
    && dayKey(one.date) === dayKey(other.date) && other.date - one.date < GROUP_GAP_S);
}
