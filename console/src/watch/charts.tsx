// Small charts. Each stands beside the table that says the same.

/** Bars over time; the last one is the current hour. */
export function Bars({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(1, ...values);
  const width = 108 / Math.max(1, values.length);
  return (
    <svg className="spark" viewBox="0 0 108 20" preserveAspectRatio="none" role="img" aria-label={label}>
      <path className="b" d="M0 19.5h108" />
      {values.map((value, index) => {
        const height = (value / most) * 17;
        return value > 0 && <rect key={index} x={index * width + width * 0.1} y={19 - height} width={width * 0.8} height={height} />;
      })}
    </svg>
  );
}

/** A line over time, with a point at the current hour. */
export function Line({ values }: { values: number[] }) {
  const most = Math.max(1, ...values);
  const step = 102 / Math.max(1, values.length - 1);
  const points = values.map((value, index) => [2 + index * step, 17 - (value / most) * 14] as const);
  const [x, y] = points.at(-1) ?? [2, 17];
  return (
    <svg className="spark" viewBox="0 0 108 20" aria-hidden="true">
      <path d={points.map(([px, py], index) => `${index === 0 ? "M" : "L"}${px.toFixed(1)} ${py.toFixed(1)}`).join("")} />
      <circle cx={x} cy={y} r="2.5" />
    </svg>
  );
}
