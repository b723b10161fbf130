// The findings of the doctor, in a few words.

import type { Finding } from "../api/operate";

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Counts what needs attention: `1 error, 2 warnings`. */
export function problems(findings: Finding[]): string | undefined {
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const words = [["error", count("error")] as const, ["warning", count("warning")] as const];
  return words.flatMap(([noun, number]) => (number > 0 ? [counted(number, noun)] : [])).join(", ") || undefined;
}

/** Returns the command that a remedy names. */
export const commandIn = (remedy: string): string | undefined => /`(tasuki [^`]+)`/.exec(remedy)?.[1];
