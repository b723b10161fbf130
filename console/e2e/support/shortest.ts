/**
 * Measures how long something takes until it is shorter than a limit, at most ten times, and returns the
 * shortest time in milliseconds. Other work on the machine slows an attempt down, never the best of a few.
 */
export async function shortest(limit: number, attempt: () => Promise<number>): Promise<number> {
  let best = Infinity;
  for (let count = 0; count < 10 && best >= limit; count++) best = Math.min(best, await attempt());
  return best;
}

/** Returns how many milliseconds an action takes. */
export async function duration(action: () => Promise<unknown>): Promise<number> {
  const from = Date.now();
  await action();
  return Date.now() - from;
}
