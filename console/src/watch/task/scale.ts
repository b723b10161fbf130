// A time axis that stretches where much happens: every step is at least so wide that it can be seen.

export interface Scale {
  x: (at: number) => number;
  width: number;
  ticks: { at: number; x: number }[];
}

/** The least width of the time between two steps. */
const STEP = 30;
const TICKS = 7;

/** Builds an axis over the times of all steps. It is at least `least` wide. */
export function scaleOf(times: number[], start: number, end: number, least: number): Scale {
  const steps = [...new Set([start, ...times.filter((time) => time > start && time < end), Math.max(end, start + 1000)])].toSorted(
    (one, other) => one - other,
  );
  const gaps = steps.length - 1;
  const width = Math.max(least, gaps * STEP * 1.5);
  const first = steps[0] ?? start;
  const whole = (steps.at(-1) ?? end) - first;
  const spare = width - gaps * STEP;
  const positions = steps.map((time, index) => index * STEP + ((time - first) / whole) * spare);
  const x = (at: number): number => {
    if (at <= first) return 0;
    const next = steps.findIndex((time) => time >= at);
    if (next < 0) return width;
    const [a, b] = [steps[next - 1] ?? first, steps[next] ?? end];
    const [left, right] = [positions[next - 1] ?? 0, positions[next] ?? width];
    return left + ((at - a) / (b - a || 1)) * (right - left);
  };
  return { x, width, ticks: ticksOf(steps, positions, width) };
}

/** Labels steps that are far enough from each other. */
function ticksOf(steps: number[], positions: number[], width: number): { at: number; x: number }[] {
  const apart = width / TICKS;
  const ticks: { at: number; x: number }[] = [];
  steps.forEach((at, index) => {
    const x = positions[index] ?? 0;
    const last = ticks.at(-1);
    if (!last || x - last.x >= apart) ticks.push({ at, x });
  });
  return ticks;
}
