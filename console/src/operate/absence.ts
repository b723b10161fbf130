// Who is away, until when, and who stands in.

import type { Party } from "../api/types";

/** Returns whether a person is away at an instant. */
export function isAway(party: Party, now: number): boolean {
  const { absence } = party;
  return absence !== undefined && Date.parse(absence.from) <= now && now < Date.parse(absence.until);
}

/** Returns whether an absence is planned or under way. */
export const hasAbsence = (party: Party, now: number): boolean => party.absence !== undefined && now < Date.parse(party.absence.until);

/** Returns the people who can stand in for a person: others, who are not away themselves. */
export function deputiesFor(name: string, parties: Party[], now: number): string[] {
  return parties.filter((party) => party.kind === "human" && party.name !== name && !hasAbsence(party, now)).map((party) => party.name);
}

/** The longest absence that the exchange takes. */
const DAYS_MAX = 90;
const DAY = 86_400_000;

/** Returns the end of the last whole day that an absence may cover, as a field of a form takes it. */
export const latestDay = (now: number): string => dayOf(now + (DAYS_MAX - 1) * DAY);

/** Returns the local day of an instant, such as `2026-11-16`. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Returns the end of a local day, at which the absence is over. */
export function endOf(day: string): string {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year ?? 0, (month ?? 1) - 1, (date ?? 1) + 1).toISOString();
}
