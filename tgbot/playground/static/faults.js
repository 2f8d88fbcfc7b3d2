// The drawer's "Faults" half: each fault of the server's contract in plain words, and what an admin can break.

import { act } from "./api.js";
import { el, fullName, setText } from "./dom.js";
import { count, fill } from "./words.js";

const METHODS = ["sendMessage", "sendPhoto", "editMessageText", "editMessageReplyMarkup", "editMessageCaption",
  "deleteMessage", "answerCallbackQuery", "getChatMember"];

/** In the order shown. `unit`: how the number is meant. `kind`: its name in faults.count. */
const CONTROLS = [
  { field: "latency_s", unit: "seconds", step: "0.1",
    en: "Telegram is slow", enMore: "Every call of the bot takes this much longer.",
    de: "Telegram ist langsam", deMore: "Jeder Aufruf des Bots dauert so viel länger." },
  { field: "late_updates_s", unit: "seconds", step: "0.1", kind: "late_updates",
    en: "News reach the bot late", enMore: "Messages and presses are held back this long.",
    de: "Neues kommt spät beim Bot an", deMore: "Nachrichten und Tastendrücke werden so lange zurückgehalten." },
  { field: "flood_next", unit: "times", kind: "flood",
    en: "Too many requests (429)", enMore: "The next calls are refused and the bot has to wait.",
    de: "Zu viele Anfragen (429)", deMore: "Die nächsten Aufrufe werden abgelehnt, der Bot muss warten." },
  { field: "flood_retry_after", unit: "seconds", sub: true, off: 5, least: "1",
    en: "… to wait after a 429", de: "… Wartezeit nach einem 429" },
  { field: "flood_chat", choice: "chats", sub: true,
    en: "… only in this chat", de: "… nur in diesem Chat" },
  { field: "refuse_next", unit: "times", kind: "refuse",
    en: "A chat is closed (400)", enMore: "The next calls are refused as if the topic were closed.",
    de: "Ein Chat ist zu (400)", deMore: "Die nächsten Aufrufe werden abgelehnt, als wäre das Thema geschlossen." },
  { field: "refuse_chat", choice: "chats", sub: true,
    en: "… only in this chat", de: "… nur in diesem Chat" },
  { field: "timeout_before_next", unit: "times", kind: "timeout_before",
    en: "A call gets lost", enMore: "It has no effect and is never answered.",
    de: "Ein Aufruf geht verloren", deMore: "Er bewirkt nichts und wird nie beantwortet." },
  { field: "timeout_after_next", unit: "times", kind: "timeout_after",
    en: "An answer gets lost", enMore: "The call takes effect, but the bot never hears so.",
    de: "Eine Antwort geht verloren", deMore: "Der Aufruf wirkt, aber der Bot erfährt es nicht." },
  { field: "reset_after_next", unit: "times", kind: "reset_after",
    en: "A connection breaks", enMore: "The call takes effect, but its answer breaks off.",
    de: "Eine Verbindung bricht ab", deMore: "Der Aufruf wirkt, aber die Antwort bricht ab." },
  { field: "error_5xx_next", unit: "times", kind: "error_5xx",
    en: "Telegram is broken (502)", enMore: "The next calls fail without an effect.",
    de: "Telegram ist gestört (502)", deMore: "Die nächsten Aufrufe scheitern ohne Wirkung." },
  { field: "odd_before_next", unit: "times", kind: "odd_before",
    en: "A proxy answers", enMore: "Instead of Telegram, with a page and no effect.",
    de: "Ein Proxy antwortet", deMore: "Statt Telegram, mit einer Seite und ohne Wirkung." },
  { field: "odd_after_next", unit: "times", kind: "odd_after",
    en: "A proxy answers too late", enMore: "With a page, though the call took effect.",
    de: "Ein Proxy antwortet zu spät", deMore: "Mit einer Seite, obwohl der Aufruf gewirkt hat." },
  { field: "bad_request_answers_next", unit: "times", kind: "bad_request_answers",
    en: "Toasts come too late (400)", enMore: "The bot's answer to a press is refused as too old.",
    de: "Hinweise kommen zu spät (400)", deMore: "Die Antwort auf einen Tastendruck wird als zu alt abgelehnt." },
  { field: "duplicate_updates_next", unit: "times", kind: "duplicate_updates",
    en: "An update comes twice", enMore: "Once more under the same number, after it was confirmed.",
    de: "Ein Update kommt doppelt", deMore: "Noch einmal mit derselben Nummer, nachdem es bestätigt war." },
  { field: "duplicate_presses_next", unit: "times", kind: "duplicate_presses",
    en: "A press counts twice", enMore: "One press makes two queries with different ids.",
    de: "Ein Tastendruck kommt doppelt", deMore: "Ein Druck wird zu zwei Anfragen mit verschiedenen Nummern." },
  { field: "shuffle_next", unit: "times", kind: "shuffle",
    en: "Updates in the wrong order", enMore: "The next ones arrive in reverse.",
    de: "Updates in falscher Reihenfolge", deMore: "Die nächsten kommen rückwärts an." },
  { field: "lower_ids_next", unit: "times", kind: "lower_ids",
    en: "Update ids start lower", enMore: "As after a week without any update.",
    de: "Update-Nummern beginnen tiefer", deMore: "Wie nach einer Woche ohne ein Update." },
  { field: "only", choice: "methods",
    en: "Only for this method", enMore: "Limits the faults of calls to one method.",
    de: "Nur bei dieser Methode", deMore: "Beschränkt die Störungen von Aufrufen auf eine Methode." },
];

const MODIFIERS = ["flood_retry_after", "flood_chat", "refuse_chat", "only"]; // they do nothing by themselves

/** How many faults are switched on. */
export function activeFaults(faults) {
  return CONTROLS.filter(({ field }) => !MODIFIERS.includes(field) && faults[field]).length;
}

/** Content of the drawer; `drawer` gives store, words, language and `run(promise, what)`. */
export class FaultsPanel {
  #inputs = new Map(); // field -> input or select
  #hits = new Map(); // field -> where its count is shown

  constructor(drawer) {
    this.drawer = drawer;
    const { words } = drawer;
    this.node = el("div", { class: "panel" },
      el("p", { class: "intro" }, words.faultsIntro),
      el("div", { class: "controls" }, CONTROLS.map((control) => this.#control(control))),
      el("button", { type: "button", class: "plain all-off", on: { click: () => this.#allOff() } }, words.allOff),
      this.#groupBox(), this.#personBox());
    this.refresh();
  }

  #control(control) {
    const { words, language } = this.drawer;
    const id = `fault-${control.field}`;
    const more = control[`${language}More`];
    const input = control.choice
      ? el("select", { id, on: { change: () => this.#set(control) } }, this.#options(control.choice))
      : el("input", {
        id, type: "number", min: control.least ?? "0", max: "999", step: control.step ?? "1", inputmode: "decimal",
        "aria-describedby": more ? `${id}-more` : null, on: { change: () => this.#set(control) },
      });
    const hits = el("small", { class: "hits" });
    this.#inputs.set(control.field, input);
    this.#hits.set(control.field, hits);
    return el("div", { class: `control ${control.sub ? "sub" : ""}`.trim(), data: { fault: control.field } },
      el("div", { class: "control-words" }, el("label", { for: id }, control[language]),
        more && el("small", { id: `${id}-more` }, more), hits),
      el("div", { class: "control-value" }, input, control.unit && el("span", { class: "unit" }, words[control.unit])));
  }

  #options(choice) {
    const none = el("option", { value: "" }, "–");
    if (choice === "methods") return [none, ...METHODS.map((name) => el("option", { value: name }, name))];
    return [none, ...this.#chatChoices().map(([id, title]) => el("option", { value: String(id) }, title))];
  }

  #chatChoices() {
    const { store } = this.drawer;
    return [...store.groups().map((chat) => [chat.id, chat.title]),
      ...[...store.people.values()].map((person) => [person.id, `${fullName(person)} ↔ ${store.bot.first_name}`])];
  }

  #set({ field, choice, off }) {
    const { value } = this.#inputs.get(field);
    const empty = value === "";
    let wanted = empty ? off ?? 0 : Number(value);
    if (choice) wanted = empty ? null : choice === "chats" ? Number(value) : value;
    this.drawer.run(act("faults", { [field]: wanted }));
  }

  #allOff() {
    const fields = CONTROLS.map(({ field, choice, off }) => [field, choice ? null : off ?? 0]);
    this.drawer.run(act("faults", Object.fromEntries(fields)), this.drawer.words.allOff);
  }

  // ---- what an admin, or a person, can do to the bot

  #groupBox() {
    const { store, words, run } = this.drawer;
    const groups = store.groups();
    if (!groups.length) return null;
    const select = el("select", { "aria-label": words.group }, groups.map(({ id, title }) => el("option", { value: String(id) }, title)));
    const chat = () => store.chats.get(Number(select.value));
    const button = (text, action, className = "") =>
      el("button", { type: "button", class: `plain ${className}`.trim(), on: { click: () => action(text) } }, text);
    const simple = (what) => (text) => run(act(what, { chat: chat().id }), text);
    return el("fieldset", {}, el("legend", {}, words.inGroup), select, el("div", { class: "buttons" },
      button(words.removeNewest, (text) => this.#removeNewest(chat(), text)),
      button(words.kick, simple("kick"), "bad"), button(words.readd, simple("readd")),
      button(words.migrate, simple("migrate")),
      groups.some((group) => group.is_forum) && button(words.closeTopics, simple("close_topics"))));
  }

  #removeNewest(chat, text) {
    const { store, words, run, say } = this.drawer;
    const newest = chat.messages.findLast((message) => message.sender?.id === store.bot.id);
    if (newest) run(act("delete", { chat: chat.id, message_id: newest.id }), text);
    else say(words.nothingToRemove);
  }

  #personBox() {
    const { store, words, run } = this.drawer;
    return el("fieldset", {}, el("legend", {}, words.withPerson), el("div", { class: "buttons" },
      [...store.people.values()].map((person) => {
        const text = fill(person.blocked ? words.unblockPerson : words.block, fullName(person));
        const what = person.blocked ? "unblock" : "block";
        return el("button", {
          type: "button", class: `plain ${person.blocked ? "" : "bad"}`.trim(), "aria-pressed": String(Boolean(person.blocked)),
          on: { click: () => run(act(what, { person: person.id }), text) },
        }, text);
      })));
  }

  /** Show the server's values; the field that is being typed in is left alone. */
  refresh() {
    const { store: { faults }, words, language } = this.drawer;
    for (const control of CONTROLS) {
      const input = this.#inputs.get(control.field);
      const value = faults[control.field];
      if (input !== document.activeElement) {
        input.value = control.choice ? String(value ?? "") : String(value ?? control.off ?? 0);
      }
      input.closest(".control").classList.toggle("on", !MODIFIERS.includes(control.field) && Boolean(value));
      const struck = faults.count?.[control.kind] ?? 0;
      setText(this.#hits.get(control.field), struck ? count(words.hits, struck, language) : "");
    }
  }
}
