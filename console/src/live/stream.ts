// One connection to `/v1/events`. It reconnects by itself and goes on after the last event it saw.

import type { Event } from "../api/types";
import { FrameParser } from "./parse";

export type StreamStatus = "connecting" | "live" | "reconnecting" | "signed_out";

export interface StreamMessage {
  status: StreamStatus;
  /** The number of the last event that was looked at. */
  seen: number | undefined;
  event?: Event;
  /** The log is another one than before: everything is read again. */
  reset?: boolean;
  /** This tab has the connection of the browser. */
  leads?: boolean;
}

const PING_TIMEOUT = 40_000;
const RETRY = [500, 1000, 2000, 5000, 10_000];

/** Follows the events of a project until the signal aborts. */
export async function follow(
  project: string,
  since: number | undefined,
  signal: AbortSignal,
  tell: (message: StreamMessage) => void,
): Promise<void> {
  let seen = since;
  let failures = 0;
  while (!signal.aborted) {
    const watchdog = new Watchdog(signal);
    try {
      const response = await fetch("/v1/events", { headers: headers(project, seen), signal: watchdog.signal });
      if (response.status === 401) return tell({ status: "signed_out", seen });
      if (response.ok && response.body) {
        const parser = new FrameParser();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        failures = 0;
        tell({ status: "live", seen });
        for (let step = await reader.read(); !step.done; step = await reader.read()) {
          watchdog.feed();
          for (const frame of parser.push(step.value)) {
            if (frame.id) seen = Number(frame.id);
            if (frame.event === "reset") tell({ status: "live", seen, reset: true });
            else if (frame.data) tell({ status: "live", seen, event: JSON.parse(frame.data) as Event });
            else tell({ status: "live", seen });
          }
        }
      }
    } catch {
      // The connection was cut; the loop opens another one.
    } finally {
      watchdog.stop();
    }
    if (signal.aborted) return;
    tell({ status: "reconnecting", seen });
    await pause(RETRY[Math.min(failures++, RETRY.length - 1)] ?? 1000, signal);
  }
}

function headers(project: string, seen: number | undefined): Record<string, string> {
  const sent: Record<string, string> = { Accept: "text/event-stream", "Tasuki-Project": project };
  if (seen !== undefined) sent["Last-Event-ID"] = String(seen);
  return sent;
}

/** Cuts a connection that has been silent for longer than two pings. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #abort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    outer.addEventListener("abort", this.#abort);
    this.feed();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  feed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#abort, PING_TIMEOUT);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#abort);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
