// The server: one request for the whole world, one for each thing people do, and a stream of events.

/** What went wrong, in words that can be shown. `offline` is true if the server did not answer at all. */
export class ApiError extends Error {
  constructor(message, offline = false) {
    super(message);
    this.offline = offline;
  }
}

export async function loadWorld() {
  const response = await fetch("/api/world", { cache: "no-store" });
  if (!response.ok) throw new ApiError(`GET /api/world: ${response.status}`);
  return response.json();
}

/** Let somebody do something, e.g. `act("say", { person, chat, text })`; returns the result or throws ApiError. */
export async function act(what, fields = {}) {
  let response;
  try {
    response = await fetch("/api/do", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ do: what, ...fields }),
    });
  } catch {
    throw new ApiError("The playground does not answer.", true);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok || !answer.ok) throw new ApiError(answer.error || `${what}: HTTP ${response.status}`);
  return answer.result;
}

const RETRY_FIRST_MS = 500;
const RETRY_LAST_MS = 5000;

/**
 * Follow the event stream for ever. `onHello` runs at every (re)connection, `onEvent` for every event,
 * `onLost` whenever the connection breaks.
 */
export function follow({ onHello, onEvent, onLost }) {
  let waitMs = RETRY_FIRST_MS;

  function connect() {
    const source = new EventSource("/api/events");
    source.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if (event.type === "hello") {
        waitMs = RETRY_FIRST_MS;
        onHello(event);
      } else {
        onEvent(event);
      }
    };
    // The browser's own reconnection gives up on HTTP errors, so it is done by hand.
    source.onerror = () => {
      source.close();
      onLost();
      setTimeout(connect, waitMs);
      waitMs = Math.min(waitMs * 2, RETRY_LAST_MS);
    };
  }
  connect();
}
