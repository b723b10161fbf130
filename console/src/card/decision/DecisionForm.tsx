import { type FormEvent, type ReactNode, useState } from "react";
import type { Shown } from "../../api/queries";
import { consequence, needsReason, VERBS } from "../../handoff/consequence";
import { shortId } from "../../text/ids";
import { submitOnEnter } from "../../browser/keys";
import type { Verb } from "../../handoff/verbs";
import { AnswerFields, AskFields, ReasonField, RerouteFields } from "./fields";
import type { Input } from "./perform";
import { ReturnFields } from "./ReturnFields";
import { SignOffFields } from "./SignOffFields";

export interface FieldsProps {
  shown: Shown;
  input: Input;
  onChange: (change: Partial<Input>) => void;
}

interface DecisionFormProps {
  verb: Verb;
  shown: Shown;
  opened: string[];
  isBusy: boolean;
  onEvidence: () => void;
  onText: (text: string) => void;
  onBack: () => void;
  onSend: (input: Input, verb?: Verb) => void;
}

/** The form of a verb that needs more than a press. Back closes it; Cancel is a decision. */
export function DecisionForm({ verb, shown, opened, isBusy, onEvidence, onText, onBack, onSend }: DecisionFormProps) {
  const { handoff } = shown;
  const [input, setInput] = useState<Input>({});
  const onChange = (change: Partial<Input>) => {
    const next = { ...input, ...change };
    setInput(next);
    onText(next.reason ?? next.text ?? "");
  };
  const fields = { shown, input, onChange };
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend(input);
  };
  const { label, tone } = VERBS[verb];
  return (
    <form
      className="dform"
      onSubmit={send}
      onKeyDown={(event) => {
        if (event.key === "Escape") onBack();
        submitOnEnter(event);
      }}
    >
      <h3>
        {label} {shortId(handoff.id)} r{handoff.revision}
      </h3>
      <Fields verb={verb} {...fields} opened={opened} onEvidence={onEvidence} onDeny={(denied) => onSend(denied, "deny")} />
      <p className="sec">{consequence(verb, handoff)}</p>
      <div className="foot">
        <button type="submit" className={tone === "negative" ? "btn no" : "btn pri"} disabled={isBusy}>
          {verb === "sign_off" ? `Sign off r${handoff.revision} · ${handoff.digest.slice(7, 15)}` : label}
        </button>
        <button type="button" className="btn ghost" onClick={onBack}>
          Back
        </button>
        <span className="mut hide-s">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> sends, <kbd>Esc</kbd> goes back
        </span>
      </div>
    </form>
  );
}

interface AllFieldsProps extends FieldsProps {
  verb: Verb;
  opened: string[];
  onEvidence: () => void;
  onDeny: (input: Input) => void;
}

function Fields({ verb, opened, onEvidence, onDeny, ...fields }: AllFieldsProps): ReactNode {
  const { handoff } = fields.shown;
  switch (verb) {
    case "reroute":
      return <RerouteFields {...fields} />;
    case "ask":
      return <AskFields {...fields} />;
    case "answer":
      return <AnswerFields {...fields} />;
    case "sign_off":
      return <SignOffFields {...fields} opened={opened} onEvidence={onEvidence} onDeny={onDeny} />;
    case "return":
      return <ReturnFields {...fields} />;
    case "reject":
      return <ReasonField {...fields} isRequired label={`Reason (goes to ${handoff.action ? handoff.holder : handoff.from})`} />;
    case "fail":
      return <ReasonField {...fields} isRequired label={`What is missing (goes to ${handoff.returned_by})`} />;
    default:
      return <ReasonField {...fields} isRequired={needsReason(verb, handoff)} label="Reason" />;
  }
}
