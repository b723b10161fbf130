import { useState } from "react";
import * as api from "../api/operate";
import type { Party } from "../api/types";
import { useNow } from "../browser/now";
import { Icon } from "../components/Icon";
import { Time } from "../components/parts";
import { useMe } from "../session/me";
import { deputiesFor, hasAbsence, isAway } from "./absence";
import { AbsenceSheet } from "./forms/AbsenceSheet";
import { useAction, useIsOperator } from "./useOperate";

/** Says that a person is away, or will be, and who stands in. */
export function AwayMark({ party }: { party: Party }) {
  const now = useNow();
  const { absence } = party;
  if (!absence || !hasAbsence(party, now)) return null;
  return (
    <span className="mark as">
      <Icon name="clock" />
      <span>
        {isAway(party, now) ? "away" : "will be away"} until <Time at={absence.until} />, {absence.deputy} stands in
      </span>
    </span>
  );
}

/** The verbs of an absence: for oneself, and for everyone as an operator. */
export function AwayControl({ party }: { party: Party }) {
  const { viewer, parties } = useMe();
  const isOperator = useIsOperator();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const isOwn = party.name === viewer.name;
  const back = useAction({
    run: (project: string, _: void) => api.endAbsence(project, party.name),
    done: () => `${isOwn ? "You are" : `${party.name} is`} back.`,
  });
  if (party.kind !== "human" || !(isOwn || isOperator)) return null;
  if (hasAbsence(party, now)) {
    return (
      <button type="button" className="btn sm" disabled={back.isPending} onClick={() => back.mutate()}>
        {isOwn ? "I am back" : "Back"}
        <span className="sr-only">, ends the absence of {party.name}</span>
      </button>
    );
  }
  if (deputiesFor(party.name, parties, now).length === 0) return null;
  return (
    <>
      <button type="button" className="btn sm" onClick={() => setOpen(true)}>
        Away…<span className="sr-only"> a deputy for {party.name}</span>
      </button>
      {isOpen && <AbsenceSheet person={party.name} onClose={() => setOpen(false)} />}
    </>
  );
}
