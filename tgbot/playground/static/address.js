// Who sits in front, and in which chat everybody is, in the page's address: reload and back lead there
// again. `#person/chat`, of who sits in front first; whoever is in their first chat may be left out.

const FORM = /^#\d+\/-?\d+(&\d+\/-?\d+)*$/;

/** What the address says: { person, chat } of each, or nothing. */
export function readAddress() {
  if (!FORM.test(location.hash)) return [];
  return location.hash.slice(1).split("&").map((each) => {
    const [person, chat] = each.split("/").map(Number);
    return { person, chat };
  });
}

/** Note where everybody is; back leads to where one was before, unless this is no step of `ours`. */
export function writeAddress(front, others, ours = true) {
  const address = `#${[front, ...others].map(({ id, chatId }) => `${id}/${chatId}`).join("&")}`;
  if (location.hash === address) return;
  if (location.hash && ours) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
