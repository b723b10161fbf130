// Times as people read them. Every function takes the current time, so that tests need no clock.

export type TimeFormat = "relative" | "local" | "utc";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const pad = (value: number) => String(value).padStart(2, "0");

/** Formats a span as one or two units: `8 s`, `04:10`, `2 h 5 min`, `3 d`. */
export function span(milliseconds: number): string {
  const left = Math.max(0, milliseconds);
  if (left < MINUTE) return `${Math.floor(left / SECOND)} s`;
  if (left < HOUR) return `${Math.floor(left / MINUTE)} min`;
  if (left < DAY) {
    const minutes = Math.floor((left % HOUR) / MINUTE);
    const hours = `${Math.floor(left / HOUR)} h`;
    return minutes === 0 ? hours : `${hours} ${minutes} min`;
  }
  return `${Math.floor(left / DAY)} d`;
}

/** Formats a countdown; the last hour is shown to the second. */
export function countdown(until: number, now: number): string {
  const left = until - now;
  if (left <= 0) return `${span(-left)} over`;
  if (left >= HOUR) return span(left);
  return `${pad(Math.floor(left / MINUTE))}:${pad(Math.floor((left % MINUTE) / SECOND))}`;
}

/** Formats an instant relative to now: `just now`, `12 min ago`, `in 3 h`. */
export function relative(at: number, now: number): string {
  const past = now - at;
  if (Math.abs(past) < 5 * SECOND) return "just now";
  return past > 0 ? `${span(past)} ago` : `in ${span(-past)}`;
}

/** Formats the time of day with seconds. */
export function clock(at: number, utc = false): string {
  const date = new Date(at);
  const parts = utc
    ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map(pad).join(":") + (utc ? "Z" : "");
}

function day(at: number, utc: boolean): string {
  const date = new Date(at);
  return utc
    ? `${date.getUTCFullYear()}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
    : `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Formats an instant by the chosen setting; the day is left out today. */
export function instant(at: number, now: number, format: TimeFormat): string {
  if (format === "relative") return relative(at, now);
  const utc = format === "utc";
  return day(at, utc) === day(now, utc) ? clock(at, utc) : full(at, utc);
}

/** Formats an instant with day and time, for tooltips. */
export function full(at: number, utc: boolean): string {
  return `${day(at, utc)} ${clock(at, utc)}`;
}

/** Returns whether two instants fall on the same local day. */
export function isSameDay(one: number, other: number): boolean {
  return day(one, false) === day(other, false);
}
