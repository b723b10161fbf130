import { Section } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../api/queries";
import type { Json } from "../api/types";
import { Note } from "../components/parts";
import { DiffView } from "./DiffView";

interface ChangedNoteProps {
  before: Shown;
  after: Shown;
  onAdopt: () => void;
}

/** Shows what changed while the person was reading, before anything is decided about it. */
export function ChangedNote({ before, after, onAdopt }: ChangedNoteProps) {
  const [old, now] = [before.handoff, after.handoff];
  const isAction = old.action?.digest !== now.action?.digest;
  const isReturn = now.return_id !== undefined && old.return_id !== now.return_id;
  const what = isAction
    ? "The action changed while you read."
    : isReturn
      ? "Another return came while you read."
      : old.revision !== now.revision
        ? `Revision ${now.revision} came while you read.`
        : `It is for ${now.to} now, no longer for ${old.to}.`;
  return (
    <section className="hp mb-3" aria-label="Changed while you read">
      <Section>
        <Note tone="offered" icon="diff">
          <b>{what}</b> You read revision {old.revision}. Decisions below are about revision {now.revision} for {now.to};
          approvals of what was there before are void.
        </Note>
      </Section>
      <Section
        title={`Difference r${old.revision} to r${now.revision}`}
        note={
          <button type="button" className="btn sm" onClick={onAdopt}>
            Open r{now.revision}
          </button>
        }
      >
        <DiffView
          before={documentOf(before, isAction, isReturn)}
          after={documentOf(after, isAction, isReturn)}
        />
      </Section>
    </section>
  );
}

/** Returns the document that changed: the action, the return or the packet. */
function documentOf(shown: Shown, isAction: boolean, isReturn: boolean): Json {
  return (isAction ? shown.action : isReturn ? shown.return?.packet : shown.packet) ?? null;
}
