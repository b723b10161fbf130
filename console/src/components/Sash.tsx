import { useState } from "react";
import type { Handoff, State } from "../api/types";
import { STATES } from "./parts";

const PAUSE = "M70.5 32v12M77.5 32v12";
const PEN = "M68 44h12M69 40.5l7.5-7.5 3 3-7.5 7.5";
const CROSS = "m69 33 10 10M79 33 69 43";
const TICK = "m67.5 38.5 4.5 4.5 8.5-9.5";
const ARROW = "M67 38h14M76 33l5 5-5 5";

type Sashed = Pick<Handoff, "state" | "held_for" | "holder" | "action">;

const REFUSED: State[] = ["rejected", "cancelled", "discarded", "dead"];

/** The large sash of the manifest: filled up to where the work is, with a knot where it waits. */
export function Sash({ handoff }: { handoff: Sashed }) {
  const { tone } = STATES[handoff.state];
  const isClaimed = handoff.state === "claimed" || handoff.action !== undefined;
  const isHalf = !isClaimed && (handoff.state === "held" || REFUSED.includes(handoff.state));
  // The sash fills once, when the work is let go while it is on the screen.
  const [wasHalf] = useState(isHalf);
  const knot = isClaimed ? undefined : glyph(handoff);
  return (
    <svg className={`sash ${tone}`} viewBox="0 0 148 76" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {isHalf ? (
        <>
          <path className="on" d="M0 76 61 38H87L26 76z" />
          <path className="stripe" d="M6.5 76l61-38M19.5 76l61-38" />
          <path className="off" d="M61 38 122 0h26L87 38z" />
        </>
      ) : (
        <g className={wasHalf ? "pass" : ""}>
          <path className="on" d="M0 76 122 0h26L26 76z" />
          <path className="stripe" d="M6.5 76l122-76M19.5 76l122-76" />
        </g>
      )}
      {knot && (
        <>
          <circle className="knot" cx="74" cy="38" r="14" />
          <path className="kg" d={knot} />
        </>
      )}
    </svg>
  );
}

function glyph({ state, held_for }: Sashed): string | undefined {
  if (state === "held") return held_for?.some((reason) => reason.startsWith("gate")) ? PEN : PAUSE;
  if (REFUSED.includes(state)) return CROSS;
  if (state === "offered") return ARROW;
  return state === "done" ? TICK : undefined;
}

/** The mark of the product: two bands that pass. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 24 24" aria-hidden="true">
      <path className="a" d="M2 21.5 8.6 11h5.3L7.3 21.5z" />
      <path className="b" d="M10.1 13 16.7 2.5H22L15.4 13z" />
    </svg>
  );
}
