// Where a person writes: text, slash commands with suggestions, answering, editing, writing anonymously.

import { act } from "./api.js";
import { el, icon, iconButton, keepChildren, setAttribute, setText } from "./dom.js";
import { plainText } from "./richtext.js";
import { fill } from "./words.js";

const MAX_SUGGESTIONS = 60;
const MAX_HEIGHT_PX = 140;

export class Composer {
  #drafts = new Map(); // chat id -> { text, reply, edit }
  #draft = { text: "", reply: null, edit: null };
  #chosen = -1; // highlighted suggestion
  #asked; // the number of the newest inline query
  #offers; // what was offered last
  #mask = ""; // "", "anonymous" or "as_channel"

  constructor(pane) {
    this.pane = pane;
    this.listId = `suggest-${pane.person.id}`;
    this.suggestions = el("ul", { class: "suggest", id: this.listId, role: "listbox", hidden: true });
    this.hint = el("div", { class: "suggest-hint", hidden: true });
    this.aboutTitle = el("b", { dir: "auto" });
    this.aboutText = el("span", { dir: "auto" });
    this.aboutIcon = el("span", { class: "about-icon" });
    this.cancelButton = iconButton("close", "", () => this.#cancel());
    this.about = el("div", { class: "about", hidden: true },
      this.aboutIcon, el("div", { class: "about-words" }, this.aboutTitle, this.aboutText), this.cancelButton);
    this.input = el("textarea", {
      rows: "1", maxlength: "4096", autocomplete: "off", dir: "auto", enterkeyhint: "send", role: "combobox",
      "aria-autocomplete": "list", "aria-controls": this.listId, "aria-expanded": "false",
    });
    this.slashButton = iconButton("slash", "", () => this.toggleCommands(), "slash");
    this.maskSelect = el("select", { on: { change: () => this.#putOn(this.maskSelect.value) } });
    this.maskBox = el("span", { class: "icon-button mask" }, icon("mask"), this.maskSelect);
    this.sendButton = el("button", { type: "submit", class: "icon-button send" }, icon("send"));
    this.node = el("form", { class: "composer" }, this.suggestions, this.hint, this.about,
      el("div", { class: "line" }, this.maskBox, this.slashButton, this.input, this.sendButton));

    this.node.addEventListener("submit", (event) => { event.preventDefault(); this.#send(); });
    this.input.addEventListener("input", () => this.#onInput());
    this.input.addEventListener("keydown", (event) => this.#onKey(event));
    this.input.addEventListener("blur", () => setTimeout(() => this.node.contains(document.activeElement) || this.#closeSuggestions(), 120));
  }

  /** Take over the draft of the chat that is shown now. */
  show(chatId) {
    if (!this.#drafts.has(chatId)) this.#drafts.set(chatId, { text: "", reply: null, edit: null });
    this.#draft = this.#drafts.get(chatId);
    this.input.value = this.#draft.text;
    this.#closeSuggestions();
    this.refresh();
  }

  /** Repaint labels, e.g. in another language or after becoming admin. */
  refresh() {
    const { words } = this.pane;
    const { reply, edit } = this.#draft;
    setAttribute(this.input, "placeholder", words.write);
    setAttribute(this.input, "aria-label", words.write);
    this.#paintMasks();
    label(this.slashButton, words.commands);
    label(this.sendButton, edit ? words.save : words.send);
    label(this.cancelButton, words.cancel);
    this.about.hidden = !(reply || edit);
    if (!this.about.hidden) {
      this.aboutIcon.replaceChildren(icon(edit ? "edit" : "reply"));
      setText(this.aboutTitle, edit ? words.editing : fill(words.replyTo, reply.sender?.name ?? ""));
      setText(this.aboutText, plainText((edit ?? reply).html, this.pane.view.textContext()) || words.photo);
    }
    this.#fit();
  }

  reply(message) {
    if (this.#draft.edit) this.input.value = this.#draft.text = "";
    Object.assign(this.#draft, { reply: message, edit: null });
    this.refresh();
    this.input.focus();
  }

  edit(message) {
    const template = document.createElement("template");
    template.innerHTML = message.html;
    Object.assign(this.#draft, { edit: message, reply: null, text: template.content.textContent });
    this.input.value = this.#draft.text;
    this.refresh();
    this.input.focus();
  }

  /** The message that is being answered or edited was deleted. */
  forget(messageId) {
    for (const draft of this.#drafts.values()) {
      if (draft.reply?.id === messageId) draft.reply = null;
      if (draft.edit?.id === messageId) Object.assign(draft, { edit: null, text: "" });
    }
    this.refresh();
  }

  async #send() {
    const text = this.input.value.trim();
    const { reply, edit } = this.#draft;
    if (!text) return;
    this.input.value = "";
    Object.assign(this.#draft, { text: "", reply: null, edit: null });
    this.#closeSuggestions();
    this.refresh();
    const { pane } = this;
    const sent = edit
      ? await pane.try(act("edit", { person: pane.person.id, chat: edit.chat_id, message_id: edit.id, text }))
      : await pane.say(text, { reply_to: reply?.id, [this.#mask]: this.#mask ? true : undefined });
    if (sent !== undefined || this.input.value) return;
    this.input.value = text; // not accepted: nothing typed is lost
    Object.assign(this.#draft, { text, reply, edit });
    this.refresh();
  }

  #cancel() {
    if (this.#draft.edit) this.input.value = this.#draft.text = "";
    Object.assign(this.#draft, { reply: null, edit: null });
    this.refresh();
    this.input.focus();
  }

  /** In groups one may write as a channel, and admins as nobody in particular. */
  #paintMasks() {
    const { words, person, chat, store } = this.pane;
    const isAdmin = store.isAdmin(chat, person.id);
    this.maskBox.hidden = chat.type === "private";
    if (this.maskBox.hidden || (this.#mask === "anonymous" && !isAdmin)) this.#mask = "";
    const masks = [{ id: "", text: person.first_name },
      ...(isAdmin ? [{ id: "anonymous", text: words.asGroup }] : []), { id: "as_channel", text: fill(words.asChannel, person.first_name) }];
    keepChildren(this.maskSelect, masks, ({ id }) => el("option", { value: id }), (option, { text }) => setText(option, text));
    this.maskSelect.value = this.#mask;
    this.maskBox.classList.toggle("on", this.#mask !== "");
    label(this.maskSelect, `${words.sendAs}: ${masks.find(({ id }) => id === this.#mask).text}`);
  }

  #putOn(mask) {
    this.#mask = mask;
    this.refresh();
    this.input.focus();
  }

  #fit() {
    if (!CSS.supports("field-sizing", "content") && this.input.isConnected) {
      this.input.style.height = "auto";
      this.input.style.height = `${Math.min(this.input.scrollHeight, MAX_HEIGHT_PX)}px`;
    }
    this.sendButton.classList.toggle("ready", this.input.value.trim() !== "");
  }

  // ---- slash commands

  #onInput() {
    this.#draft.text = this.input.value;
    this.#fit();
    const typed = this.input.value.match(/^\/([a-z0-9_]*)$/i);
    const asked = this.input.value.match(/^@(\w+)\s(.*)$/);
    if (typed) this.#suggest(typed[1].toLowerCase());
    else if (asked?.[1].toLowerCase() === this.pane.store.bot.username.toLowerCase()) this.#ask(asked[2]);
    else this.#closeSuggestions();
  }

  toggleCommands() {
    if (!this.suggestions.hidden) return this.#closeSuggestions();
    if (!this.input.value) this.input.value = "/";
    this.input.focus();
    this.#onInput();
  }

  async #suggest(start) {
    const { store, words, chat, person, language } = this.pane;
    if (store.menus.length === 0) await store.refreshCommands().catch(() => {});
    const commands = store.commandsFor(chat, person, language);
    const fitting = commands.filter(({ command }) => command.startsWith(start)).slice(0, MAX_SUGGESTIONS);
    this.#offer(fitting.map(({ command, description }) => ({
      name: `/${command}`, about: description, data: { command }, click: () => this.#sendCommand(command),
    })));
    this.hint.hidden = fitting.length === 0 && commands.length > 0;
    setText(this.hint, fitting.length ? words.commandHint : words.noCommands);
  }

  #offer(options) {
    this.#chosen = -1;
    this.suggestions.replaceChildren(...options.map(({ name, about, data, click }, at) => el("li", {
      role: "option", id: `${this.listId}-${at}`, data, "aria-selected": "false",
      on: { mousedown: (event) => event.preventDefault(), click },
    }, el("b", { dir: "auto" }, name), el("span", { dir: "auto" }, about))));
    this.suggestions.hidden = options.length === 0;
    setAttribute(this.input, "aria-expanded", String(!this.suggestions.hidden));
    setAttribute(this.input, "aria-activedescendant", null);
  }

  // ---- what the bot offers to who types its name: @dicehall_bot fifty

  async #ask(words) {
    const asked = await this.pane.try(act("inline", { person: this.pane.person.id, chat: this.pane.chatId, words }));
    this.#asked = asked?.query_id;
    if (this.#offers?.query_id === this.#asked) this.offered(this.#offers);
  }

  /** The bot offers something; what was asked for a letter ago is no use any more. */
  offered(offers) {
    this.#offers = offers; // may be here before we know the number of our query
    if (offers.query_id !== this.#asked) return;
    this.#offer(offers.results.map(({ id, title, description }) => ({
      name: title, about: description, data: { result: id }, click: () => this.#sendOffer(offers.query_id, id),
    })));
  }

  async #sendOffer(queryId, resultId) {
    this.input.value = this.#draft.text = "";
    this.#asked = undefined;
    this.#closeSuggestions();
    this.refresh();
    await this.pane.choose(queryId, resultId);
  }

  #closeSuggestions() {
    this.suggestions.hidden = this.hint.hidden = true;
    this.#chosen = -1;
    setAttribute(this.input, "aria-expanded", "false");
    setAttribute(this.input, "aria-activedescendant", null);
  }

  #choose(step) {
    const options = [...this.suggestions.children];
    this.#chosen = (this.#chosen + step + options.length + (this.#chosen < 0 && step < 0 ? 1 : 0)) % options.length;
    options.forEach((option, at) => setAttribute(option, "aria-selected", String(at === this.#chosen)));
    options[this.#chosen].scrollIntoView({ block: "nearest" });
    setAttribute(this.input, "aria-activedescendant", options[this.#chosen].id);
  }

  #sendCommand(command) {
    this.input.value = this.pane.addressed(`/${command}`);
    this.#send();
  }

  #onKey(event) {
    if (event.isComposing) return;
    const open = !this.suggestions.hidden;
    const option = open ? this.suggestions.children[this.#chosen] : undefined;
    const chosen = option?.dataset.command;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (option) option.click();
      else this.#send();
    } else if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      this.#choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (open && event.key === "Tab" && !event.shiftKey && this.suggestions.firstChild.dataset.command) {
      event.preventDefault();
      this.input.value = `${this.pane.addressed(`/${chosen ?? this.suggestions.firstChild.dataset.command}`)} `;
      this.#onInput();
    } else if (event.key === "Escape") {
      if (open) this.#closeSuggestions();
      else this.#cancel();
    } else if (event.key === "ArrowUp" && !this.input.value) {
      const own = this.pane.lastOwnMessage();
      if (!own) return;
      event.preventDefault();
      this.edit(own);
    }
  }
}

function label(button, text) {
  setAttribute(button, "aria-label", text);
  setAttribute(button, "title", text);
}
