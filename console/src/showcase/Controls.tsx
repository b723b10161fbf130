import { type Dispatch, type SetStateAction, useId, useState } from "react";
import type { HandoffProtocolProps } from "tasuki-handoff-protocol";
import { payloadText, readPayload } from "./payload";
import type { Callback, Choices } from "./Playground";

const TEXTS: ["sourceAgent" | "destinationAgent" | "goal" | "summary" | "nextRequest" | "className", boolean][] = [
  ["sourceAgent", false],
  ["destinationAgent", false],
  ["goal", false],
  ["summary", true],
  ["nextRequest", true],
  ["className", false],
];

const CALLBACKS: Callback[] = ["onAccept", "onIntercept", "onCancel"];

interface ControlsProps {
  choices: Choices;
  onChange: Dispatch<SetStateAction<Choices>>;
}

/** A control for each prop of the card. */
export function Controls({ choices, onChange }: ControlsProps) {
  const { values, callbacks, isElement } = choices;
  const [payload, setPayload] = useState(payloadText(values.payload));
  const set = (change: Partial<HandoffProtocolProps>) => onChange((before) => ({ ...before, values: { ...before.values, ...change } }));
  return (
    <form className="pan play-form" aria-label="Props" onSubmit={(event) => event.preventDefault()}>
      <h2>Props</h2>
      <div className="in grid gap-3">
        {TEXTS.map(([name, isLong]) => (
          <Field key={name} name={name} isLong={isLong} value={values[name] ?? ""} onChange={(value) => set({ [name]: value })} />
        ))}
        <Field
          name="payload"
          note="one label: value on each line"
          isLong
          value={payload}
          onChange={(value) => {
            setPayload(value);
            set({ payload: readPayload(value) });
          }}
        />
        <div className="checks">
          <Check label="canIntercept" isChecked={values.canIntercept ?? false} onChange={(canIntercept) => set({ canIntercept })} />
          {CALLBACKS.map((name) => (
            <Check
              key={name}
              label={`${name} is given`}
              isChecked={callbacks[name]}
              onChange={(isGiven) => onChange((before) => ({ ...before, callbacks: { ...before.callbacks, [name]: isGiven } }))}
            />
          ))}
          <Check label="as <tasuki-card>" isChecked={isElement} onChange={(next) => onChange((before) => ({ ...before, isElement: next }))} />
        </div>
      </div>
    </form>
  );
}

interface FieldProps {
  name: string;
  note?: string;
  isLong: boolean;
  value: string;
  onChange: (value: string) => void;
}

function Field({ name, note, isLong, value, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="form-row">
      <label htmlFor={id}>
        {name}
        {note && `, ${note}`}
      </label>
      {isLong ? (
        <textarea id={id} className="field" rows={3} value={value} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </div>
  );
}

function Check({ label, isChecked, onChange }: { label: string; isChecked: boolean; onChange: (isChecked: boolean) => void }) {
  return (
    <label>
      <input type="checkbox" className="cb" checked={isChecked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
