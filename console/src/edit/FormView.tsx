import { useState } from "react";
import type { Json } from "../api/types";
import { Icon } from "../components/Icon";
import { isSame } from "../text/diff";
import {
  type Document,
  fieldLabel,
  formFields,
  itemText,
  type Pair,
  pairsOf,
  retype,
  withItemText,
  withPairs,
} from "./editing";
import { valueText } from "../text/text";

interface FormViewProps {
  document: Document;
  onChange: (document: Document) => void;
}

/** A field for every text, list and set of labelled values. The rest is in the source. */
export function FormView({ document, onChange }: FormViewProps) {
  const set = (name: string, value: Json) => onChange({ ...document, [name]: value });
  return (
    <>
      {formFields(document).map(({ name, kind }) => {
        const value = document[name] ?? null;
        if (kind === "text") return <TextField key={name} name={name} value={String(value)} onChange={(text) => set(name, text)} />;
        if (kind === "list") {
          return <ListField key={name} name={name} items={Array.isArray(value) ? value : []} onChange={(items) => set(name, items)} />;
        }
        return (
          <PairsField
            key={name}
            name={name}
            pairs={pairsOf(value)}
            isObject={!Array.isArray(value)}
            onChange={(pairs) => set(name, withPairs(value, pairs))}
          />
        );
      })}
    </>
  );
}

function TextField({ name, value, onChange }: { name: string; value: string; onChange: (value: string) => void }) {
  return (
    <div className="form-row">
      <label htmlFor={`f-${name}`}>{fieldLabel(name)}</label>
      <textarea
        id={`f-${name}`}
        className={name === "command" ? "field mono" : "field"}
        rows={value.length > 120 ? 4 : 1}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function ListField({ name, items, onChange }: { name: string; items: Json[]; onChange: (items: Json[]) => void }) {
  return (
    <fieldset className="form-row">
      <legend className="label mb-1 text-[12px] font-medium text-ink-2">{fieldLabel(name)}</legend>
      <div className="listedit">
        {items.map((item, index) => (
          <div key={index} className="contents">
            <input
              className="field"
              aria-label={`${fieldLabel(name)} ${index + 1}`}
              value={itemText(item)}
              onChange={(event) => onChange(items.with(index, withItemText(item, event.target.value)))}
            />
            <RemoveButton what={`${fieldLabel(name)} ${index + 1}`} onClick={() => onChange(items.toSpliced(index, 1))} />
          </div>
        ))}
      </div>
      <AddButton onClick={() => onChange([...items, ""])} />
    </fieldset>
  );
}

interface PairsFieldProps {
  name: string;
  pairs: Pair[];
  /** The names of an object are changed in the source, where two of them cannot become one by a slip. */
  isObject: boolean;
  onChange: (pairs: Pair[]) => void;
}

function PairsField({ name, pairs, isObject, onChange }: PairsFieldProps) {
  const change = (index: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...part } : pair)));
  return (
    <fieldset className="form-row">
      <legend className="label mb-1 text-[12px] font-medium text-ink-2">{fieldLabel(name)}</legend>
      <div className="pairs">
        {pairs.map((pair, index) => (
          <div key={index} className="contents">
            <input
              className="field"
              aria-label={`Label ${index + 1} of ${fieldLabel(name)}`}
              value={pair.label}
              readOnly={isObject}
              onChange={(event) => change(index, { label: event.target.value })}
            />
            <ValueInput
              label={`Value of ${pair.label || `label ${index + 1}`}`}
              value={pair.value}
              onChange={(value) => change(index, { value })}
            />
            <RemoveButton what={pair.label || `label ${index + 1}`} onClick={() => onChange(pairs.toSpliced(index, 1))} />
          </div>
        ))}
      </div>
      {!isObject && <AddButton onClick={() => onChange([...pairs, { label: "", value: "" }])} />}
    </fieldset>
  );
}

/** Keeps what is typed as it is, so that `0.` can become `0.5`, and passes on a value of the same type. */
function ValueInput({ label, value, onChange }: { label: string; value: Json; onChange: (value: Json) => void }) {
  const [typed, setTyped] = useState({ text: valueText(value), before: value });
  // Another value stands here now, because a pair above it was removed.
  const isOther = !isSame(retype(typed.before, typed.text), value);
  const { text, before } = isOther ? { text: valueText(value), before: value } : typed;
  const change = (next: string) => {
    setTyped({ text: next, before });
    onChange(retype(before, next));
  };
  return <input className="field mono" aria-label={label} value={text} onChange={(event) => change(event.target.value)} />;
}

function RemoveButton({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <button type="button" className="ib" aria-label={`Remove ${what}`} onClick={onClick}>
      <Icon name="x" />
    </button>
  );
}

function AddButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" className="btn sm justify-self-start" onClick={onClick}>
      <Icon name="plus" />
      Add
    </button>
  );
}
