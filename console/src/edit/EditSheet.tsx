import { useMutation } from "@tanstack/react-query";
import { type RefObject, useEffect, useId, useState } from "react";
import { revise } from "../api/client";
import type { Shown } from "../api/queries";
import type { Answer, Json } from "../api/types";
import { DiffView } from "../card/DiffView";
import type { Attention } from "../card/useReading";
import { Note } from "../components/parts";
import { ProblemNote } from "../components/Problem";
import { Sheet } from "../components/Sheet";
import { difference } from "../text/diff";
import { type Document, formFields, parseSource } from "./editing";
import { shortId } from "../text/ids";
import { isSender } from "../handoff/verbs";
import { useMe } from "../session/me";
import { FormView } from "./FormView";

export interface Draft {
  etag: string;
  document: Document;
}

interface EditSheetProps {
  shown: Shown;
  /** The edits typed so far; they outlive the dialog. */
  draft: RefObject<Draft | undefined>;
  attention: Attention;
  onClose: () => void;
  onSaved: (answer: Answer) => void;
  onRefused: () => void;
}

type Tab = "form" | "source" | "review";

const isDocument = (value: Json | undefined): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Edits the packet, or the action that waits for approval: a form, the source, then the difference. */
export function EditSheet({ shown, draft, attention, onClose, onSaved, onRefused }: EditSheetProps) {
  const { project, viewer } = useMe();
  // What is edited is what was shown, whatever comes meanwhile.
  const [opened] = useState(shown);
  const { handoff } = opened;
  const isAction = handoff.action !== undefined;
  const edited = isAction ? opened.action : opened.packet;
  // An action may be any value; one that is no object is edited as the only member of one.
  const [original] = useState<Document>(() => (isDocument(edited) ? edited : { action: edited ?? null }));
  const [document, setDocument] = useState(draft.current?.etag === opened.etag ? draft.current.document : original);
  const [source, setSource] = useState<string>();
  const [reason, setReason] = useState("");
  const [tab, setTab] = useState<Tab>(formFields(original).length > 0 ? "form" : "source");
  const parsed = source === undefined ? { document } : parseSource(source);
  const current = parsed.document ?? document;
  const isOwn = isSender(handoff, viewer);
  const changes = difference(original, current).length;
  const save = useMutation({
    mutationFn: () => {
      const changed = isDocument(edited) ? current : (current.action ?? null);
      const looked = { seconds: attention.seconds(), opened: attention.opened };
      return revise(project, handoff.id, changed, { etag: opened.etag, edit: !isOwn, reason: reason.trim(), looked });
    },
    onSuccess: onSaved,
    onError: onRefused,
  });
  useEffect(() => {
    draft.current = { etag: opened.etag, document: current };
  });
  const panel = useId();
  const show = (next: Tab) => {
    if (tab === "source" && parsed.document) {
      setDocument(parsed.document);
      setSource(undefined);
    }
    setTab(next);
  };
  return (
    <Sheet title={`Edit ${isAction ? "the action of " : ""}${shortId(handoff.id)} r${handoff.revision}`} isWide onClose={onClose}>
      <div className="edit-tabs" role="tablist" aria-label="How to edit">
        {(["form", "source", "review"] as const).map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`${panel}-${one}`}
            aria-selected={tab === one}
            aria-controls={panel}
            disabled={one !== "source" && parsed.document === undefined}
            onClick={() => show(one)}
          >
            {{ form: "Form", source: "Source", review: `Difference (${changes})` }[one]}
          </button>
        ))}
      </div>
      <div id={panel} role="tabpanel" aria-labelledby={`${panel}-${tab}`} className="grid gap-4">
        {tab === "form" && <FormView document={current} onChange={setDocument} />}
        {tab === "source" && (
          <div className="form-row">
            <label htmlFor="source">JSON</label>
            <textarea
              id="source"
              className="field source"
              spellCheck={false}
              value={source ?? JSON.stringify(document, null, 2)}
              onChange={(event) => setSource(event.target.value)}
              aria-invalid={parsed.problem !== undefined}
            />
            {parsed.problem && <p className="err">{parsed.problem}</p>}
          </div>
        )}
        {tab === "review" && <DiffView before={original} after={current} />}
      </div>
      {tab === "review" && (
        <>
          <Consequences shown={opened} isAction={isAction} />
          {!isOwn && (
            <div className="form-row">
              <label htmlFor="edit-reason">Reason, optional; sender and receiver are told</label>
              <textarea id="edit-reason" className="field" value={reason} onChange={(event) => setReason(event.target.value)} />
            </div>
          )}
        </>
      )}
      <div role="alert">{save.error && <ProblemNote error={save.error} />}</div>
      <div className="sheet-f row flex-wrap">
        {tab === "review" ? (
          <button type="button" className="btn pri" disabled={changes === 0 || save.isPending} onClick={() => save.mutate()}>
            {isAction ? "Save and accept this action" : `Save as r${handoff.revision + 1}`}
          </button>
        ) : (
          <button type="button" className="btn pri" disabled={!parsed.document || changes === 0} onClick={() => show("review")}>
            Review the difference
          </button>
        )}
        <button type="button" className="btn ghost" onClick={onClose}>
          Back
        </button>
        <span className="mut" role="status">
          {changes === 0 ? "Nothing changed yet" : `${changes} ${changes === 1 ? "value" : "values"} changed`}
        </span>
      </div>
    </Sheet>
  );
}

/** Which approvals an edit voids, and who is told. */
function Consequences({ shown: { handoff }, isAction }: { shown: Shown; isAction: boolean }) {
  const signed = (handoff.gates ?? []).flatMap((gate) => gate.factors.flatMap((factor) => (factor.signed ?? []).map((one) => one.by)));
  if (isAction) {
    return (
      <Note tone="offered" icon="action">
        <b>Saving accepts the changed action.</b> {handoff.holder} may run exactly these bytes once. The action that was asked
        for is refused.
      </Note>
    );
  }
  return (
    <Note tone="offered" icon="diff">
      <b>Saving makes revision {handoff.revision + 1}.</b>{" "}
      {signed.length > 0
        ? `It voids ${signed.length} ${signed.length === 1 ? "signature" : "signatures"} (${signed.join(", ")}).`
        : `An approval of revision ${handoff.revision} does not count for it.`}{" "}
      {handoff.from} and {handoff.to} see that a person changed it.
    </Note>
  );
}
