// Hands that play by themselves: a person's newest board is looked at and a button pressed, at human
// pace, through the same pane and the same requests as everyone's.

const LOOK_MS = [1800, 3600]; // how long somebody thinks before they press
const PATIENCE_MS = 9000; // who has pressed a board waits for another one, or as long as this
const ONCE = /:(join|start)$/; // pressed once on a message
const DIE = /^[dWw]\d+$/;
const NEVER = /^(🚪|🛑|📖|🔎|🔔|📌|⏳|🎩|📋|👁|↩️|◀️|⚙️|🔁)/u;
const DICE_AT_ONCE = 2;

export class Hands {
  #playing = new Map(); // person id -> timer
  #pressed = new Map(); // person id -> the board they pressed last, and when
  #once = new Set(); // what nobody presses twice

  /** `paneOf(id)` is the pane of a person; `onChange` is called when somebody begins or stops. */
  constructor(store, paneOf, onChange) {
    this.store = store;
    this.paneOf = paneOf;
    this.onChange = onChange;
  }

  get people() { return [...this.#playing.keys()]; }

  plays(id) { return this.#playing.has(id); }

  set(id, on) {
    clearTimeout(this.#playing.get(id));
    this.#playing.delete(id);
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
    const board = this.#boardOf(pane);
    if (!board || this.#waits(pane.id, board)) return;
    const keys = board.buttons.flat().filter((key) =>
      key.data && !NEVER.test(key.text) && !this.#once.has(this.#name(pane, board, key)));
    const dice = keys.filter(({ text }) => DIE.test(text));
    if (dice.length) {
      for (let left = 1 + Math.floor(Math.random() * DICE_AT_ONCE); left > 0; left -= 1) {
        await pane.press(board, pick(dice));
      }
    }
    const key = pick(wanted(keys.filter((each) => !dice.includes(each))));
    this.#pressed.set(pane.id, { look: lookOf(board), at: Date.now() });
    if (!key) return;
    if (ONCE.test(key.data)) this.#once.add(this.#name(pane, board, key));
    await pane.press(board, key);
  }

  #name(pane, board, key) {
    return `${pane.id} ${board.chat_id} ${board.id} ${key.data}`;
  }

  /** The newest board somebody could press: in a group, or one of their own. */
  #boardOf(pane) {
    const boards = this.store.chatsOf(pane.person)
      .map((chat) => this.store.messagesOf(chat.id).findLast(({ buttons, sender }) => buttons?.length && sender?.id === this.store.bot.id))
      .filter(Boolean);
    return boards.sort((one, other) => (other.edited ?? other.date) - (one.edited ?? one.date))[0];
  }

  #waits(id, board) {
    const pressed = this.#pressed.get(id);
    return pressed && pressed.look === lookOf(board) && Date.now() - pressed.at < PATIENCE_MS;
  }
}

const lookOf = (board) => `${board.chat_id}:${board.id}:${board.html}`;

const pick = (keys) => keys[Math.floor(Math.random() * keys.length)];

/** Green buttons first, then blue ones, now and then any other. */
function wanted(keys) {
  const plain = keys.filter(({ style }) => !["success", "primary"].includes(style));
  const green = keys.filter(({ style }) => style === "success");
  const blue = keys.filter(({ style }) => style === "primary");
  if (Math.random() < 0.15 && plain.length) return plain;
  if (green.length && blue.length) return Math.random() < 0.6 ? green : blue;
  return green.length ? green : blue.length ? blue : plain;
}
