// Who sits in front and in which chat, in the page's address: reload and back lead there again.

const FORM = /^#(\d+)\/(-?\d+)$/;

/** What the address says: { person, chat }, or undefined. */
export function readAddress() {
  const match = FORM.exec(location.hash);
  return match ? { person: Number(match[1]), chat: Number(match[2]) } : undefined;
}

/** Note that somebody has opened a chat; back leads to where one was before. */
export function writeAddress({ id, chatId }) {
  const address = `#${id}/${chatId}`;
  if (location.hash === address) return;
  if (location.hash) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
