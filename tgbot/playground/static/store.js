// What the page knows: people, chats with their messages, faults. It changes only by what the server says.

import { ApiError, follow, loadWorld } from "./api.js";

const KEEP_MESSAGES = 300;
const IN_CHAT = ["creator", "administrator", "member", "restricted"];

export class Store {
  bot = { id: 0, username: "", first_name: "Bot" };
  people = new Map();
  chats = new Map();
  faults = {};
  menus = []; // the bot's commands by scope and language
  options = null; // how the bot is run, where the playground runs it
  skew = 0; // seconds the server's clock is ahead of this browser's
  #listeners = new Set();
  #queue = null; // events that came while the world is being loaded

  /** `listener(change)` with change.type: world, people, chats, message, edited, deleted, toast, inline, faults, lost. */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start() {
    follow({
      onHello: () => this.#reload(),
      onEvent: (event) => (this.#queue ? this.#queue.push(event) : this.#apply(event)),
      onLost: () => this.#tell({ type: "lost" }),
    });
  }

  now() {
    return Date.now() / 1000 + this.skew;
  }

  /** Commands may be set after the page was opened; nothing announces them. */
  async refreshCommands() {
    const world = await loadWorld();
    this.menus = world.menus ?? [];
  }

  // ---- questions

  /** The commands a person is offered in a chat, as Telegram chooses: the narrowest scope, then the language. */
  commandsFor(chat, person, language) {
    const inGroup = [...(this.isAdmin(chat, person.id) ? ["all_chat_administrators"] : []), "all_group_chats"];
    const scopes = [...(chat.type === "private" ? ["all_private_chats"] : inGroup), "default"];
    const fitting = scopes.flatMap((scope) => [language, ""].map((code) =>
      this.menus.find((menu) => menu.scope === scope && menu.language === code)));
    return fitting.find(Boolean)?.commands ?? [];
  }

  statusOf(chat, id) {
    return chat.members?.find((member) => member.id === id)?.status ?? "left";
  }

  isIn(chat, id) {
    return IN_CHAT.includes(this.statusOf(chat, id));
  }

  isAdmin(chat, id) {
    return ["creator", "administrator"].includes(this.statusOf(chat, id));
  }

  /** A group that became a supergroup is listed until its successor is known. */
  groups() {
    const isHere = (chat) => chat && chat.type !== "private" && !chat.isStub;
    return [...this.chats.values()].filter((chat) => isHere(chat) && !isHere(this.chats.get(chat.migrated_to)));
  }

  /** The chats a person sees: the groups he or she is in, then the private chat with the bot. */
  chatsOf(person) {
    const groups = this.groups().filter((chat) => this.isIn(chat, person.id));
    const own = this.chats.get(person.id) ?? emptyPrivate(person);
    return [...groups, own];
  }

  messagesOf(chatId) {
    return this.chats.get(chatId)?.messages ?? [];
  }

  find(chatId, messageId) {
    return this.messagesOf(chatId).find((message) => message.id === messageId);
  }

  // ---- changes

  async #reload() {
    if (this.#queue) return;
    this.#queue = [];
    try {
      this.#replace(await loadWorld());
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof TypeError)) throw error;
      this.#tell({ type: "lost" });
      setTimeout(() => this.#reload(), 1000);
      return;
    } finally {
      const queued = this.#queue ?? [];
      this.#queue = null;
      queued.forEach((event) => this.#apply(event));
    }
  }

  #replace(world) {
    this.skew = world.now - Date.now() / 1000;
    this.bot = world.bot;
    this.people = new Map(world.people.map((person) => [person.id, person]));
    this.chats = new Map(world.chats.map((chat) => [chat.id, chat]));
    this.faults = world.faults ?? {};
    this.menus = world.menus ?? [];
    this.options = world.options ?? null;
    this.#tell({ type: "world" });
  }

  #apply(event) {
    switch (event.type) {
      case "message":
      case "edited": {
        const known = this.#put(event.chat_id, event.message);
        this.#tell({ type: known ? "edited" : "message", chatId: event.chat_id, message: event.message });
        break;
      }
      case "deleted": {
        const chat = this.chats.get(event.chat_id);
        if (chat) chat.messages = chat.messages.filter((message) => message.id !== event.message_id);
        this.#tell({ type: "deleted", chatId: event.chat_id, messageId: event.message_id });
        break;
      }
      case "people":
        this.people = new Map(event.people.map((person) => [person.id, person]));
        this.#tell({ type: "people" });
        break;
      case "chat": {
        const messages = event.chat.messages ?? this.messagesOf(event.chat.id);
        this.chats.set(event.chat.id, { ...event.chat, messages });
        this.#tell({ type: "chats" });
        break;
      }
      case "faults":
        this.faults = event.faults;
        this.#tell({ type: "faults" });
        break;
      case "menus":
        this.menus = event.menus;
        break;
      case "options":
        this.options = event.options;
        this.#tell({ type: "people" });
        break;
      case "inline":
      case "toast":
        this.#tell(event);
        break;
    }
  }

  #put(chatId, message) {
    if (!this.chats.has(chatId)) {
      // The chat itself is announced a moment later.
      const person = this.people.get(chatId);
      this.chats.set(chatId, person ? emptyPrivate(person) : { id: chatId, type: "group", isStub: true, messages: [] });
    }
    const messages = this.chats.get(chatId).messages;
    const at = messages.findLastIndex((other) => other.id <= message.id);
    const known = at >= 0 && messages[at].id === message.id;
    messages.splice(known ? at : at + 1, known ? 1 : 0, message);
    if (messages.length > KEEP_MESSAGES) messages.splice(0, messages.length - KEEP_MESSAGES);
    return known;
  }

  #tell(change) {
    for (const listener of this.#listeners) listener(change);
  }
}

function emptyPrivate(person) {
  return { id: person.id, type: "private", title: person.first_name, topics: [], members: [], messages: [] };
}
