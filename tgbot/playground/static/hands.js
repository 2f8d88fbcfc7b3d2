// Hands that play by themselves: a person's newest board is looked at and a button pressed, at human
// pace, through the same pane and the same requests as everyone's.

const LOOK_MS = [1800, 3600]; // how long somebody thinks before they press
const PATIENCE_MS = 9000; // who has pressed a board waits for another one, or as long as this
const OPENS_AFTER_MS = 12_000; // who sees no game to play for so long opens one
const GAME = /^(?!settings:)[a-z2-7]{8}:/; // a button of a game begins with its id
const OPENS = /^open:/; // a button that opens a game
const JOINS = /:join$/;
const ONCE = /:(join|charm)\d?$/; // chosen once a game
const DIE = /^[dWw]\d+$/;
const NEVER = /^(🚪|🛑|📖|🔎|🔔|📌|⏳|🎩|📋|👁|↩️|◀️|⚙️|🔁|▶️)/u; // leaves, asks, hurries others
const DICE_AT_ONCE = 2;
const WHIM = 0.15; // how often it is not what most would press

export class Hands {
  #playing = new Map(); // person id -> timer
  #pressed = new Map(); // person id -> the board they pressed last, and when
  #idle = new Map(); // person id -> since when they see nothing to play
  #done = new Set(); // what nobody chooses twice in a game

  /** `paneOf(id)` is the pane of a person; `onChange` is called when somebody begins or stops. */
  constructor(store, paneOf, onChange) {
    this.store = store;
    this.paneOf = paneOf;
    this.onChange = onChange;
  }

  plays(id) { return this.#playing.has(id); }

  set(id, on) {
    clearTimeout(this.#playing.get(id));
    this.#playing.delete(id);
    this.#idle.delete(id);
    if (on) this.#wait(id);
    this.onChange();
  }

  #wait(id) {
    const [least, most] = LOOK_MS;
    this.#playing.set(id, setTimeout(() => this.#look(id), least + Math.random() * (most - least)));
  }

  async #look(id) {
    const pane = this.paneOf(id);
    if (!pane) return this.set(id, false);
    try {
      await this.#play(pane);
    } finally {
      if (this.plays(id)) this.#wait(id);
    }
  }

  async #play(pane) {
    const found = this.#boards(pane)[0] ?? this.#opening(pane);
    if (!found || this.#waits(pane.id, found.board)) return;
    const { board, keys } = found;
    if (pane.chatId !== board.chat_id) pane.open(board.chat_id);
    const dice = keys.filter(({ text }) => DIE.test(text));
    if (dice.length) {
      for (let left = 1 + Math.floor(Math.random() * DICE_AT_ONCE); left > 0; left -= 1) {
        await pane.press(board, pick(dice));
      }
    }
    const key = wanted(keys.filter((each) => !dice.includes(each)));
    this.#pressed.set(pane.id, { look: lookOf(board), at: Date.now() });
    if (!key) return;
    if (ONCE.test(key.data)) this.#done.add(choice(pane, key));
    await pane.press(board, key);
  }

  /** The newest board of each chat, as far as there is something on it for them to press. */
  #boards(pane) {
    const found = [];
    for (const { id } of this.store.chatsOf(pane.person)) {
      const board = this.#newest(id, GAME);
      const keys = board ? this.#keysFor(pane, board) : [];
      if (keys.length) found.push({ board, keys });
    }
    return found.sort((one, other) => touched(other.board) - touched(one.board));
  }

  /** What somebody may press: to join where they do not sit; else nothing while others are to act. */
  #keysFor(pane, board) {
    const isTurn = !board.mentions.length || board.mentions.includes(pane.id);
    const sits = board.html.includes(`<b>${pane.person.first_name}</b>`);
    return board.buttons.flat().filter((key) => GAME.test(key.data) && !NEVER.test(key.text)
      && (JOINS.test(key.data) ? !sits : isTurn) && !(ONCE.test(key.data) && this.#done.has(choice(pane, key))));
  }

  /** A menu of games in a group, once there was nothing to play for a while. */
  #opening(pane) {
    if (!this.#idle.has(pane.id)) this.#idle.set(pane.id, Date.now());
    if (Date.now() - this.#idle.get(pane.id) < OPENS_AFTER_MS) return undefined;
    for (const { id, type } of this.store.chatsOf(pane.person)) {
      const board = type === "private" || this.#newest(id, GAME) ? undefined : this.#newest(id, OPENS);
      if (board) return { board, keys: board.buttons.flat().filter(({ data }) => OPENS.test(data)) };
    }
    return undefined;
  }

  /** The newest message of the bot in a chat with a button of that kind. */
  #newest(chatId, kind) {
    return this.store.messagesOf(chatId).findLast(({ buttons, sender }) =>
      sender?.id === this.store.bot.id && buttons?.flat().some(({ data }) => kind.test(data)));
  }

  #waits(id, board) {
    const pressed = this.#pressed.get(id);
    return pressed && pressed.look === lookOf(board) && Date.now() - pressed.at < PATIENCE_MS;
  }
}

const touched = (board) => board.edited ?? board.date;

const lookOf = (board) => `${board.chat_id}:${board.id}:${board.html}`;

const choice = (pane, key) => `${pane.id} ${key.data.split(":")[0]} ${ONCE.exec(key.data)[1]}`;

const pick = (keys) => keys[Math.floor(Math.random() * keys.length)];

/** What a button says at its end that it brings: 25 for "Chance 25". */
const worth = ({ text }) => Number(/\d+$/.exec(text)?.[0] ?? -1);

/** Green buttons first, then blue ones, else what brings most; now and then any other. */
function wanted(keys) {
  const plain = keys.filter(({ style }) => !["success", "primary"].includes(style));
  const green = keys.filter(({ style }) => style === "success");
  const blue = keys.filter(({ style }) => style === "primary");
  if (Math.random() < WHIM) return pick(plain.length ? plain : keys);
  if (green.length && blue.length) return Math.random() < 0.6 ? green[0] : blue[0];
  const most = Math.max(...plain.map(worth));
  return green[0] ?? blue[0] ?? pick(plain.filter((key) => worth(key) === most));
}
