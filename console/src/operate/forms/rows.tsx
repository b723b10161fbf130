// The rows of the forms of operators.

import { type ReactNode, useId } from "react";

interface RowProps {
  label: string;
  hint?: ReactNode;
  value: string;
  onChange: (value: string) => void;
  isRequired?: boolean;
}

interface TextRowProps extends RowProps {
  isLong?: boolean;
  isMono?: boolean;
  placeholder?: string;
  /** Texts that the browser offers. */
  offers?: string[];
}

export function TextRow({ label, hint, value, onChange, isRequired = false, isLong = false, isMono = false, placeholder, offers }: TextRowProps) {
  const id = useId();
  const shared = {
    id,
    value,
    required: isRequired,
    placeholder,
    className: isMono ? "field mono" : "field",
    "aria-describedby": hint ? `${id}-hint` : undefined,
  };
  return (
    <div className="form-row">
      <label htmlFor={id}>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      {isLong ? (
        <textarea {...shared} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...shared} list={offers ? `${id}-offers` : undefined} autoComplete="off" spellCheck={false} onChange={(event) => onChange(event.target.value)} />
      )}
      {offers && (
        <datalist id={`${id}-offers`}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
      {hint && (
        <p id={`${id}-hint`} className="mut">
          {hint}
        </p>
      )}
    </div>
  );
}

interface SelectRowProps extends RowProps {
  options: [string, string][];
}

export function SelectRow({ label, hint, value, onChange, options }: SelectRowProps) {
  const id = useId();
  return (
    <div className="form-row">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="field" value={value} aria-describedby={hint ? `${id}-hint` : undefined} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
      {hint && (
        <p id={`${id}-hint`} className="mut">
          {hint}
        </p>
      )}
    </div>
  );
}

interface DayRowProps extends RowProps {
  min: string;
  max: string;
}

export function DayRow({ label, value, onChange, min, max }: DayRowProps) {
  const id = useId();
  return (
    <div className="form-row">
      <label htmlFor={id}>{label}</label>
      <input id={id} type="date" className="field" required value={value} min={min} max={max} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}

interface ChecksProps {
  label: string;
  options: [string, string][];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

/** Several of a few options. */
export function ChecksRow({ label, options, chosen, onChange }: ChecksProps) {
  const toggle = (option: string) => onChange(chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option]);
  return (
    <fieldset className="form-row">
      <legend className="label">{label}</legend>
      <div className="checks two">
        {options.map(([option, words]) => (
          <label key={option}>
            <input type="checkbox" className="cb" checked={chosen.includes(option)} onChange={() => toggle(option)} />
            <span>
              <b>{option}</b> <span className="mut">{words}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Splits a text at commas and spaces. */
export const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
