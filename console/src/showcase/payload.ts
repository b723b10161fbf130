// A payload as lines of `label: value`, which is how a person types it.

import type { HandoffPayloadItem } from "tasuki-handoff-protocol";

export const payloadText = (payload: HandoffPayloadItem[] = []): string =>
  payload.map(({ label, value }) => `${label}: ${value}`).join("\n");

/** Reads lines of `label: value`. Blank lines count for nothing. */
export function readPayload(text: string): HandoffPayloadItem[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [label = "", ...rest] = line.split(":");
    return { label: label.trim(), value: rest.join(":").trim() };
  });
}
