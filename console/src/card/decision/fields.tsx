// The fields of the short forms.

import { useMe } from "../../session/me";
import { needsReason } from "../../handoff/consequence";
import type { FieldsProps } from "./DecisionForm";

interface ReasonFieldProps extends FieldsProps {
  label: string;
  isRequired: boolean;
}

export function ReasonField({ input, onChange, label, isRequired }: ReasonFieldProps) {
  return (
    <div className="form-row">
      <label htmlFor="reason">
        {label}
        {!isRequired && ", optional"}
      </label>
      <textarea
        id="reason"
        className="field"
        data-first
        required={isRequired}
        maxLength={20_000}
        value={input.reason ?? ""}
        onChange={(event) => onChange({ reason: event.target.value })}
      />
    </div>
  );
}

export function RerouteFields({ shown, input, onChange }: FieldsProps) {
  const { parties } = useMe();
  const { handoff } = shown;
  return (
    <>
      <div className="form-row">
        <label htmlFor="to">New receiver: an agent, a person or a role</label>
        <select id="to" className="field" data-first required value={input.to ?? ""} onChange={(event) => onChange({ to: event.target.value })}>
          <option value="">Choose</option>
          {parties
            .filter((party) => party.name !== handoff.to)
            .map((party) => (
              <option key={party.id} value={party.name}>
                {party.name} ({party.kind})
              </option>
            ))}
        </select>
      </div>
      <ReasonField shown={shown} input={input} onChange={onChange} label="Reason" isRequired={needsReason("reroute", handoff)} />
    </>
  );
}

export function AskFields({ shown, input, onChange }: FieldsProps) {
  return (
    <>
      <div className="form-row">
        <label htmlFor="question">Question to {shown.handoff.from}</label>
        <textarea
          id="question"
          className="field"
          data-first
          required
          value={input.text ?? ""}
          onChange={(event) => onChange({ text: event.target.value })}
        />
      </div>
      <div className="checks">
        <label>
          <input
            type="checkbox"
            className="cb"
            checked={input.blocking ?? false}
            onChange={(event) => onChange({ blocking: event.target.checked })}
          />
          <span>No one may claim it before it is answered</span>
        </label>
      </div>
    </>
  );
}

export function AnswerFields({ shown, input, onChange }: FieldsProps) {
  const questions = shown.questions ?? [];
  const chosen = input.question ?? questions[0]?.id ?? "";
  return (
    <>
      {questions.length > 1 && (
        <div className="form-row">
          <label htmlFor="which">Question</label>
          <select id="which" className="field" value={chosen} onChange={(event) => onChange({ question: event.target.value })}>
            {questions.map((question) => (
              <option key={question.id} value={question.id}>
                {question.question}
              </option>
            ))}
          </select>
        </div>
      )}
      <div className="form-row">
        <label htmlFor="answer">Your answer</label>
        <textarea
          id="answer"
          className="field"
          data-first
          required
          value={input.text ?? ""}
          onChange={(event) => onChange({ text: event.target.value, question: chosen })}
        />
      </div>
    </>
  );
}
