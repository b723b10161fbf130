// One event stream per browser: the tab that holds a lock has the connection and tells the others.

import { follow, type StreamMessage } from "./stream";

type Posted = { kind: "message"; message: StreamMessage } | { kind: "hello" };

/**
 * Joins the stream of a project and returns how to leave it. Without Web Locks or BroadcastChannel, as on a
 * plain address off this machine, each tab has a connection of its own.
 */
export function join(project: string, tell: (message: StreamMessage) => void): () => void {
  const leaving = new AbortController();
  const name = `tasuki-events:${project}`;
  let last: StreamMessage = { status: "connecting", seen: undefined };
  const receive = (message: StreamMessage) => {
    last = message;
    tell(message);
  };
  const locks = navigator.locks as LockManager | undefined;
  if (!locks || typeof BroadcastChannel === "undefined") {
    void follow(project, undefined, leaving.signal, (message) => receive({ ...message, leads: true }));
    return () => leaving.abort();
  }

  const channel = new BroadcastChannel(name);
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Posted>) => {
    if (data.kind === "message") receive(data.message);
    else if (leads) post(channel, { status: last.status, seen: last.seen });
  };
  channel.postMessage({ kind: "hello" } satisfies Posted);
  locks
    .request(name, { signal: leaving.signal }, async () => {
      leads = true;
      // A tab that takes over goes on after what the one before it told.
      await follow(project, last.seen, leaving.signal, (message) => {
        receive({ ...message, leads: true });
        post(channel, message);
      });
      leads = false;
    })
    .catch(() => undefined);
  return () => {
    leaving.abort();
    channel.close();
  };
}

function post(channel: BroadcastChannel, message: StreamMessage): void {
  channel.postMessage({ kind: "message", message } satisfies Posted);
}
