// The progress of a task in words.

import type { Progress, Step, StepCounts } from "../api/types";

/** Says how many steps are done: `2 of 5 done`. */
export function doneOf({ done, left }: StepCounts): string {
  return `${done} of ${done + left} done`;
}

/** A step with its list, in the order of their numbers. */
export type ListedStep = Step & { isDone: boolean };

/** Returns all steps by number, each in exactly one of the two lists. */
export function steps({ done, left }: Progress): ListedStep[] {
  const listed = [...done.map((step) => ({ ...step, isDone: true })), ...left.map((step) => ({ ...step, isDone: false }))];
  return listed.toSorted((one, other) => one.number - other.number);
}
