// Small parts that say a state, a risk, a party or a time: icon, word and ink.

import type { ReactNode } from "react";
import type { SashProps } from "tasuki-handoff-protocol/parts";
import type { Handoff, Party, Risk, State } from "../api/types";
import { useNow } from "../browser/now";
import { useSettings } from "../browser/settings";
import { countdown, full, instant } from "../text/time";
import { Icon, type IconName } from "./Icon";

type Tone = NonNullable<SashProps["tone"]>;

export const STATES: Record<State, { word: string; icon: IconName; tone: Tone }> = {
  held: { word: "Held", icon: "held", tone: "held" },
  offered: { word: "Offered", icon: "offered", tone: "offered" },
  claimed: { word: "Claimed", icon: "claimed", tone: "claimed" },
  returned: { word: "Returned", icon: "returned", tone: "returned" },
  done: { word: "Done", icon: "done", tone: "done" },
  passed_on: { word: "Passed on", icon: "offered", tone: "ended" },
  rejected: { word: "Rejected", icon: "rejected", tone: "refused" },
  cancelled: { word: "Cancelled", icon: "x", tone: "ended" },
  discarded: { word: "Discarded", icon: "x", tone: "ended" },
  dead: { word: "Dead letter", icon: "dead", tone: "refused" },
};

export function StateBadge({ state, children }: { state: State; children?: ReactNode }) {
  const { word, icon, tone } = STATES[state];
  return (
    <span className={`st box ${tone}`}>
      <Icon name={icon} />
      {children ?? word}
    </span>
  );
}

const RISKS: Record<Risk, string> = { high: "High", medium: "Medium", low: "Low" };

export function RiskMark({ risk, long = false }: { risk: Risk; long?: boolean }) {
  return (
    <span className={`risk ${risk}`}>
      <Icon name={risk} />
      {RISKS[risk]}
      {long && " risk"}
      {!long && <span className="sr-only"> risk</span>}
    </span>
  );
}

const SOON = 15 * 60_000;

/** Counts down to a deadline. */
export function Due({ at, children }: { at: string; children?: ReactNode }) {
  const now = useNow();
  const { time } = useSettings();
  const until = Date.parse(at);
  return (
    <span className={`due ${until - now < SOON ? "soon" : ""}`} title={full(until, time === "utc")}>
      <Icon name="clock" />
      <span>
        <span className="sr-only">due in </span>
        <b>{countdown(until, now)}</b>
        {children}
      </span>
    </span>
  );
}

/** Shows an instant by the chosen setting, with the full time as its title. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  const { time } = useSettings();
  const value = Date.parse(at);
  return (
    <time dateTime={at} title={full(value, time === "utc")}>
      {instant(value, now, time)}
    </time>
  );
}

/** The small sash between two parties; its second bar is hollow until the work is claimed. */
export function To({ handoff }: { handoff: Handoff }) {
  const isClaimed = handoff.holder !== undefined || ["returned", "done", "passed_on"].includes(handoff.state);
  return (
    <svg className="sx" role="img" aria-label="to">
      <use href={isClaimed ? "#i-to" : "#i-toh"} />
    </svg>
  );
}

export function partyIcon(name: string, parties: Party[]): IconName {
  if (name.startsWith("role:")) return "role";
  return parties.find((party) => party.name === name)?.kind === "human" ? "person" : "agent";
}

/** A note with an icon; its tone is a state's. */
export function Note({ tone, icon, children }: { tone: string; icon: IconName; children: ReactNode }) {
  return (
    <div className={`note ${tone}`}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}
