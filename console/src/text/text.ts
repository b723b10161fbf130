// Packet text as it is: nothing is interpreted, and what a reader would not see is made visible.

export { pieces, plain, shorten, type Piece } from "tasuki-handoff-protocol/parts";

/** Writes a JSON value for people: texts as they are, lists of plain values on one line. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => one === null || typeof one !== "object")) {
    return value.map(String).join(", ");
  }
  if (typeof value !== "object" || value === null) return String(value);
  const line = JSON.stringify(value);
  return line.length <= ONE_LINE ? line : JSON.stringify(value, null, 2);
}

const ONE_LINE = 80;

/** Formats a number of bytes. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${Math.round(count / 1000)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}
