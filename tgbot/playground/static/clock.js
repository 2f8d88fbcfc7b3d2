// Times that people see: countdowns that run by themselves, dates and clock times in their language.

const LOCALES = { de: "de-DE", en: "en-GB" };
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const formatters = new Map();

function formatter(kind, language, options) {
  const key = `${kind.name} ${language} ${JSON.stringify(options)}`;
  if (!formatters.has(key)) formatters.set(key, new kind(LOCALES[language], options));
  return formatters.get(key);
}

/** "in 24 seconds", "vor 2 Minuten"; whole units, cut off, as a countdown should. */
export function relative(seconds, language) {
  const whole = Math.round(seconds);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(whole) >= length) ?? UNITS.at(-1);
  const numeric = whole === 0 ? "auto" : "always";
  return formatter(Intl.RelativeTimeFormat, language, { numeric }).format(Math.trunc(whole / size), unit);
}

/** A Telegram date_time format: any of w (weekday), d or D (date), t or T (time). */
export function absolute(unix, format, language) {
  const options = {};
  if (format.includes("w")) options.weekday = "long";
  if (format.includes("d")) Object.assign(options, { day: "2-digit", month: "2-digit", year: "2-digit" });
  if (format.includes("D")) Object.assign(options, { day: "numeric", month: "long", year: "numeric" });
  if (/t/i.test(format)) Object.assign(options, { hour: "2-digit", minute: "2-digit" });
  if (format.includes("T")) options.second = "2-digit";
  return formatter(Intl.DateTimeFormat, language, options).format(unix * 1000);
}

export const clockTime = (unix, language) => absolute(unix, "t", language);

export const dayKey = (unix) => new Date(unix * 1000).toDateString();

/** "Today", "Yesterday", otherwise the date. */
export function dayName(unix, now, language) {
  const midnight = (seconds) => new Date(seconds * 1000).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(unix) - midnight(now)) / 86400e3);
  if (days < -1 || days > 0) return absolute(unix, "D", language);
  const name = formatter(Intl.RelativeTimeFormat, language, { numeric: "auto" }).format(days, "day");
  return name[0].toUpperCase() + name.slice(1);
}

/** Write what a <time data-unix data-format> says now. Without a format its own text stays. */
export function paintTime(node, now, language) {
  const unix = Number(node.dataset.unix);
  const format = node.dataset.format ?? "";
  if (!Number.isFinite(unix)) return;
  if (!node.title) node.title = absolute(unix, "wDT", language);
  if (!format) return;
  const text = format === "r" ? relative(unix - now, language) : absolute(unix, format, language);
  if (node.textContent !== text) node.textContent = text;
}

/** Repaint every countdown on the page at each full second of the server's clock. */
export function startClock(store, languageOf) {
  function tick() {
    const now = store.now();
    for (const node of document.querySelectorAll("time[data-format]")) paintTime(node, now, languageOf(node));
    setTimeout(tick, 1000 - ((store.now() * 1000) % 1000) + 5);
  }
  tick();
}
