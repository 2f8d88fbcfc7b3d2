// The drawer at the side: "People & groups" and "Faults". It speaks the page's language, not a person's.

import { act } from "./api.js";
import { avatar, el, fullName, icon, iconButton, setAttribute } from "./dom.js";
import { FaultsPanel } from "./faults.js";
import { fill, wordsOf } from "./words.js";

const REFUSED_MS = 5000;

export class Drawer {
  open = null; // null, "people" or "faults"
  language = "en";
  #panel = null;
  #groupId = null; // the group whose members are listed

  /** `node` is the <aside>; `onToggle` is called when the drawer opens or closes; `hands` play by themselves. */
  constructor(store, node, onToggle, hands) {
    this.hands = hands;
    this.store = store;
    this.node = node;
    this.onToggle = onToggle;
    this.note = el("p", { class: "drawer-note", role: "status", "aria-live": "polite" });
    node.addEventListener("keydown", (event) => event.key === "Escape" && this.toggle(this.open));
  }

  get words() { return wordsOf(this.language); }

  toggle(which) {
    const opener = document.querySelector(`[data-drawer="${this.open ?? which}"]`);
    this.open = this.open === which ? null : which;
    this.node.hidden = !this.open;
    this.note.replaceChildren();
    this.rebuild();
    this.onToggle();
    if (this.open) this.node.querySelector("h2").focus();
    else opener?.focus();
  }

  setLanguage(language) {
    if (this.language === language) return;
    this.language = language;
    this.rebuild();
  }

  /** Draw everything anew, e.g. when people or chats changed; what was typed stays. */
  rebuild() {
    if (!this.open) return this.node.replaceChildren();
    const { words, open } = this;
    const typed = new Map([...this.node.querySelectorAll("input[name], select[name]")].map((input) => [input.name, input.value]));
    const { name: focusedName, id: focusedId } = document.activeElement;
    const scrolled = this.node.querySelector(".panel")?.scrollTop ?? 0;
    const title = open === "faults" ? words.faults : words.peopleAndGroups;
    this.#panel = open === "faults" ? new FaultsPanel(this) : null;
    setAttribute(this.node, "aria-label", title);
    this.node.lang = this.language;
    this.node.replaceChildren(
      el("header", {}, el("h2", { tabindex: "-1" }, title), iconButton("close", words.close, () => this.toggle(this.open))),
      this.#panel?.node ?? this.#peoplePanel(), this.note);
    for (const [name, value] of typed) {
      const input = this.node.querySelector(`[name="${name}"]`);
      if (input) input.value = value;
    }
    this.node.querySelector(".panel").scrollTop = scrolled;
    if (focusedName) this.node.querySelector(`[name="${focusedName}"]`)?.focus();
    if (focusedId) this.node.querySelector(`#${focusedId}`)?.focus();
  }

  faultsChanged() {
    this.#panel?.refresh();
  }

  /** Wait for something; say that it is done, or in words why not. */
  run = async (doing, what) => {
    try {
      const result = await doing;
      if (what) this.say(fill(this.words.done, what));
      return result ?? null;
    } catch (error) {
      this.say(error.offline ? this.words.serverGone : error.message, true);
      return undefined;
    }
  };

  say = (text, bad = false) => {
    clearTimeout(this.timer);
    this.note.replaceChildren(el("span", { class: bad ? "bad" : "" }, `${bad ? "⚠️ " : "✓ "}${text}`));
    this.timer = setTimeout(() => this.note.replaceChildren(), REFUSED_MS);
  };

  // ---- people and groups

  #peoplePanel() {
    return el("div", { class: "panel" }, this.#botBox(), this.#membersBox(), this.#personForm(), this.#groupForm());
  }

  /** How the bot is run: with slow clocks, and with the first person as its operator. It is started anew. */
  #botBox() {
    const { store, words } = this;
    const [first] = store.people.values();
    if (!store.options || !first) return false;
    const box = (name, label) => el("label", { class: "option" }, el("input", {
      type: "checkbox", checked: store.options[name],
      on: { change: (event) => this.run(act("options", { [name]: event.target.checked }), label) },
    }), label);
    return el("fieldset", {}, el("legend", {}, words.theBot),
      box("slow", words.slowClocks), box("operator", fill(words.isOperator, fullName(first))),
      el("small", {}, words.startsAnew));
  }

  #membersBox() {
    const { store, words } = this;
    const groups = store.groups();
    if (!groups.length) return el("p", { class: "intro" }, words.noGroups);
    if (!groups.some(({ id }) => id === this.#groupId)) this.#groupId = groups[0].id;
    const chat = store.chats.get(this.#groupId);
    const select = el("select", {
      "aria-label": words.group, on: { change: () => { this.#groupId = Number(select.value); this.rebuild(); } },
    }, groups.map(({ id, title }) => el("option", { value: String(id), selected: id === chat.id }, title)));
    return el("fieldset", {}, el("legend", {}, words.group), select,
      el("ul", { class: "members" }, [...store.people.values()].map((person) => this.#member(chat, person)), this.#botMember(chat)),
      chat.is_forum && this.#form([this.#text("topic", words.newTopic)], words.newTopic, ({ topic }) =>
        act("topic", { chat: chat.id, name: topic })));
  }

  /** The bot among the members: as an administrator it reads everything, and pins. */
  #botMember(chat) {
    const { store, words } = this;
    const { bot } = store;
    const isAdmin = chat.bot_status === "administrator";
    const status = isAdmin ? "member" : "administrator";
    const text = isAdmin ? words.makeMember : words.makeAdmin;
    const isOut = ["left", "kicked"].includes(chat.bot_status);
    const button = el("button", {
      type: "button", class: "plain", "aria-label": `${bot.first_name}: ${text}`,
      on: { click: () => this.run(act("promote", { chat: chat.id, person: bot.id, status }), `${bot.first_name}: ${text}`) },
    }, text);
    return el("li", { data: { member: bot.id } }, avatar(bot.id, bot.first_name, { isBot: true }),
      el("div", { class: "member-words" }, el("bdi", {}, bot.first_name),
        el("small", {}, isOut ? words.noBot : words.status[chat.bot_status] ?? chat.bot_status)),
      el("div", { class: "buttons" }, isOut ? [] : [button]));
  }

  #member(chat, person) {
    const { store, words } = this;
    const status = store.statusOf(chat, person.id);
    const button = (text, doing) => el("button", {
      type: "button", class: "plain", "aria-label": `${fullName(person)}: ${text}`, on: { click: () => this.run(doing(), `${fullName(person)}: ${text}`) },
    }, text);
    const at = { chat: chat.id, person: person.id };
    const buttons = !store.isIn(chat, person.id)
      ? [button(words.letJoin, () => act("join", at))]
      : [store.isAdmin(chat, person.id)
        ? button(words.makeMember, () => act("promote", { ...at, status: "member" }))
        : button(words.makeAdmin, () => act("promote", { ...at, status: "administrator" })),
      button(words.letLeave, () => act("leave", at))];
    const plays = this.hands.plays(person.id);
    const hand = el("button", {
      type: "button", class: `plain ${plays ? "good" : ""}`, "aria-pressed": String(plays), "aria-label": `${fullName(person)}: ${words.playsAlone}`,
      on: { click: () => { this.hands.set(person.id, !plays); this.rebuild(); } },
    }, icon(plays ? "pause" : "play"), words.playsAlone);
    return el("li", { data: { member: person.id } }, avatar(person.id, fullName(person)),
      el("div", { class: "member-words" }, el("bdi", {}, fullName(person)), el("small", {}, words.status[status] ?? status)),
      hand, el("div", { class: "buttons" }, buttons));
  }

  #personForm() {
    const { store, words } = this;
    const language = el("select", { name: "language", "aria-label": words.language },
      el("option", { value: "de" }, "Deutsch"), el("option", { value: "en" }, "English"));
    const chat = el("select", { name: "chat", "aria-label": words.toGroup }, el("option", { value: "" }, words.noGroup),
      store.groups().map(({ id, title }, at) => el("option", { value: String(id), selected: at === 0 }, title)));
    return el("fieldset", {}, el("legend", {}, words.newPerson),
      this.#form([this.#text("name", words.name), language, chat], words.add, ({ name }) => act("person", {
        first_name: name, language_code: language.value, ...(chat.value && { chat: Number(chat.value) }),
      })));
  }

  #groupForm() {
    const { store, words } = this;
    const kinds = { supergroup: words.supergroup, plain: words.plainGroup, forum: words.forum };
    const kind = el("select", { name: "kind", "aria-label": words.kind },
      Object.entries(kinds).map(([value, text]) => el("option", { value }, text)));
    return el("fieldset", {}, el("legend", {}, words.newGroup),
      this.#form([this.#text("title", words.title), kind], words.create,
        ({ title }) => act("group", {
          title, people: [...store.people.keys()], forum: kind.value === "forum", supergroup: kind.value !== "plain",
        })),
      el("small", {}, words.everyoneJoins));
  }

  #text(name, label) {
    return el("input", { type: "text", name, "aria-label": label, placeholder: label, maxlength: "128", required: true, autocomplete: "off", dir: "auto" });
  }

  #form(fields, buttonText, submit) {
    const form = el("form", { class: "small-form" }, fields, el("button", { type: "submit", class: "plain good" }, buttonText));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const values = Object.fromEntries(new FormData(form));
      const named = Object.values(values).find((value) => value);
      const done = await this.run(submit(values), `${buttonText}: ${named}`);
      const text = this.node.querySelector(`input[name="${fields[0].name}"]`);
      if (done !== undefined && text) text.value = "";
    });
    return form;
  }
}
