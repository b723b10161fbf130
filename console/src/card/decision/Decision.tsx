import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isChanged } from "../../api/http";
import { inboxQuery, keys, type Shown } from "../../api/queries";
import type { Event } from "../../api/types";
import { Note } from "../../components/parts";
import { ProblemNote } from "../../components/Problem";
import { type Draft, EditSheet } from "../../edit/EditSheet";
import { announce } from "../../browser/announce";
import { opensForm, VERBS } from "../../handoff/consequence";
import { lastDecision } from "../../handoff/history";
import { useKeys } from "../../browser/keys";
import { useReachable } from "../../browser/reachable";
import { type Verb, verbsOf } from "../../handoff/verbs";
import { useMe } from "../../session/me";
import { DecisionForm } from "./DecisionForm";
import { doneWords, type Input, perform } from "./perform";
import type { Attention } from "../useReading";
import { VerbBar } from "./VerbBar";

interface DecisionProps {
  shown: Shown;
  /** The person has read an older version than the one that is decided about. */
  hasChanged: boolean;
  events: Event[];
  attention: Attention;
  variant: "pane" | "page";
  onDecided: () => void;
}

/** The decisions that the person may take, and the form of the one that was chosen. */
export function Decision({ shown, hasChanged, events, attention, variant, onDecided }: DecisionProps) {
  const { project } = useMe();
  const client = useQueryClient();
  const isOffline = !useReachable();
  const { handoff } = shown;
  const inbox = useQuery(inboxQuery(project));
  const failure = inbox.data?.items.find((item) => item.id === handoff.id)?.failure;
  const verbs: Verb[] = [...verbsOf(shown.allowed ?? []), ...(failure ? (["acknowledge"] as const) : [])];
  const [form, setForm] = useState<Verb>();
  const typed = useRef("");
  const draft = useRef<Draft>(undefined);
  const bar = useRef<HTMLDivElement>(null);

  const refresh = () => {
    for (const queryKey of [keys.handoff(project, handoff.id), keys.history(project, handoff.id)]) {
      void client.invalidateQueries({ queryKey });
    }
    void client.invalidateQueries({ queryKey: keys.inbox(project) });
  };
  const decision = useMutation({
    mutationFn: ({ verb, input }: { verb: Verb; input: Input }) => perform(verb, input, { project, shown, events, attention, failure }),
    onSuccess: (answer, { verb }) => {
      announce(doneWords(verb, answer));
      typed.current = "";
      setForm(undefined);
      refresh();
      onDecided();
    },
    onError: refresh,
  });
  const choose = (verb: Verb) => {
    if (isOffline || decision.isPending) return;
    decision.reset();
    if (opensForm(verb, handoff)) setForm(verb);
    else decision.mutate({ verb, input: {} });
  };
  const isEditing = form === "edit";
  useKeys(form ? {} : Object.fromEntries(verbs.map((verb) => [VERBS[verb].key, () => choose(verb)])));

  // The focus goes into a form that opens, and back to its button when it closes.
  const closed = useRef<Verb>(undefined);
  useEffect(() => {
    const target = form ? "[data-first]" : `[data-verb="${closed.current}"]`;
    if (!isEditing) bar.current?.querySelector<HTMLElement>(target)?.focus();
    closed.current = form;
  }, [form, isEditing]);

  const isMoot = form !== undefined && form !== "deny" && !verbs.includes(form);
  const error = decision.error;
  return (
    <section className={variant === "page" ? "stick" : "bar-d"} aria-label="Decision" ref={bar}>
      {error && (
        <div className="mb-3" role="alert">
          <ProblemNote error={error} />
          {isChanged(error) && (
            <p className="sec mt-1">Nothing was applied. Look at what changed, then decide again.</p>
          )}
        </div>
      )}
      {isMoot && form ? (
        <Moot verb={form} typed={typed.current} by={lastDecision(events)?.actor} onClose={() => setForm(undefined)} />
      ) : form && !isEditing ? (
        <DecisionForm
          key={form}
          verb={form}
          shown={shown}
          opened={attention.opened}
          isBusy={decision.isPending}
          onEvidence={() => {
            setForm(undefined);
            attention.open("evidence");
            document.getElementById("evidence")?.scrollIntoView({ block: "center" });
          }}
          onText={(text) => {
            typed.current = text;
          }}
          onBack={() => setForm(undefined)}
          onSend={(input, verb = form) => decision.mutate({ verb, input })}
        />
      ) : (
        <VerbBar
          shown={shown}
          verbs={verbs}
          hasChanged={hasChanged}
          isBusy={decision.isPending}
          isOffline={isOffline}
          variant={variant}
          seconds={attention.seconds}
          onChoose={choose}
        />
      )}
      {isEditing && !isMoot && (
        <EditSheet
          shown={shown}
          draft={draft}
          attention={attention}
          onClose={() => setForm(undefined)}
          onSaved={(answer) => {
            announce(doneWords("edit", answer));
            setForm(undefined);
            refresh();
          }}
          onRefused={refresh}
        />
      )}
    </section>
  );
}

interface MootProps {
  verb: Verb;
  typed: string;
  by: string | undefined;
  onClose: () => void;
}

/** Says that another person was faster. The typed text is kept, so that it can be used elsewhere. */
function Moot({ verb, typed, by, onClose }: MootProps) {
  return (
    <Note tone="held" icon="warn">
      <b>{VERBS[verb].label} is no longer possible.</b> {by ? `${by} decided meanwhile.` : "It changed meanwhile."} Nothing of
      yours was sent.
      {typed && <p className="read mt-1">Your text: “{typed}”</p>}
      <div className="row mt-2">
        {typed && (
          <button type="button" className="btn sm" onClick={() => void navigator.clipboard?.writeText(typed)}>
            Copy your text
          </button>
        )}
        <button type="button" className="btn sm ghost" onClick={onClose}>
          Back
        </button>
      </div>
    </Note>
  );
}
