import { useState } from "react";

const KNOTS = {
  pause: "M70.5 32v12M77.5 32v12",
  pen: "M68 44h12M69 40.5l7.5-7.5 3 3-7.5 7.5",
  cross: "m69 33 10 10M79 33 69 43",
  tick: "m67.5 38.5 4.5 4.5 8.5-9.5",
  arrow: "M67 38h14M76 33l5 5-5 5",
};

export interface SashProps {
  /** Half of it is filled while the work waits before its receiver. */
  isHalf: boolean;
  /** The sign where the work waits. Without one it is on its way, or has arrived. */
  knot?: keyof typeof KNOTS | undefined;
  /** The colour of the knot. */
  tone?: "held" | "offered" | "claimed" | "returned" | "done" | "refused" | "ended" | undefined;
}

/** The sash between two parties: filled up to where the work is. The words beside it carry its meaning. */
export function Sash({ isHalf, knot, tone = "held" }: SashProps) {
  // The sash fills once, when the work is let go while it is on the screen.
  const [wasHalf] = useState(isHalf);
  return (
    <svg className={`hp-sash hp-${tone}`} viewBox="0 0 148 76" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {isHalf ? (
        <>
          <path className="hp-on" d="M0 76 61 38H87L26 76z" />
          <path className="hp-stripe" d="M6.5 76l61-38M19.5 76l61-38" />
          <path className="hp-off" d="M61 38 122 0h26L87 38z" />
        </>
      ) : (
        <g className={wasHalf ? "hp-pass" : undefined}>
          <path className="hp-on" d="M0 76 122 0h26L26 76z" />
          <path className="hp-stripe" d="M6.5 76l122-76M19.5 76l122-76" />
        </g>
      )}
      {knot && (
        <>
          <circle className="hp-knot" cx="74" cy="38" r="14" />
          <path className="hp-sign" d={KNOTS[knot]} />
        </>
      )}
    </svg>
  );
}
