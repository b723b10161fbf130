import { Sash as Band, type SashProps } from "tasuki-handoff-protocol/parts";
import type { Handoff, State } from "../api/types";
import { STATES } from "./parts";

type Sashed = Pick<Handoff, "state" | "held_for" | "holder" | "action">;

const REFUSED: State[] = ["rejected", "cancelled", "discarded", "dead"];

/** Returns the sash of a handoff: filled up to where the work is, with a knot where it waits. */
export function sashOf(handoff: Sashed): SashProps {
  const { tone } = STATES[handoff.state];
  const isClaimed = handoff.state === "claimed" || handoff.action !== undefined;
  const isHalf = !isClaimed && (handoff.state === "held" || REFUSED.includes(handoff.state));
  return { isHalf, tone, knot: isClaimed ? undefined : knotOf(handoff) };
}

function knotOf({ state, held_for }: Sashed): SashProps["knot"] {
  if (state === "held") return held_for?.some((reason) => reason.startsWith("gate")) ? "pen" : "pause";
  if (REFUSED.includes(state)) return "cross";
  if (state === "offered") return "arrow";
  return state === "done" ? "tick" : undefined;
}

/** The large sash of the manifest. */
export function Sash({ handoff }: { handoff: Sashed }) {
  return <Band {...sashOf(handoff)} />;
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
