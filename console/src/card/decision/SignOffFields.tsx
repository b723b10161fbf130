import { useGate } from "../../api/queries";
import type { Json } from "../../api/types";
import { Note } from "../../components/parts";
import { gatesToSign } from "../../handoff/verbs";
import { useMe } from "../../session/me";
import type { FieldsProps } from "./DecisionForm";
import { ReasonField } from "./fields";
import type { Input } from "./perform";

interface SignOffFieldsProps extends FieldsProps {
  opened: string[];
  /** Leads to the evidence on the card. */
  onEvidence: () => void;
  onDeny: (input: Input) => void;
}

const list = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);

/** A signature: its meaning, what must have been opened, and the password, typed for this signature. */
export function SignOffFields({ shown, input, onChange, opened, onEvidence, onDeny }: SignOffFieldsProps) {
  const { project, viewer } = useMe();
  const gates = gatesToSign(shown.handoff, viewer);
  const chosen = gates.find((gate) => gate.name.split("@")[0] === input.gate) ?? gates[0];
  const name = chosen?.name.split("@")[0];
  const { data: document } = useGate(project, name);
  const open = chosen?.factors.filter(
    (factor) => (factor.signed?.length ?? 0) < factor.needed && factor.roles.some((role) => viewer.roles.includes(role)),
  );
  const meanings = meaningsFor(document, open?.map((factor) => factor.name));
  const missing = list(document?.requires_opened).filter((part) => !opened.includes(part));
  const gate = gates.length > 1 && name ? { gate: name } : {};
  return (
    <>
      {gates.length > 1 && (
        <div className="form-row">
          <label htmlFor="gate">Gate</label>
          <select id="gate" className="field" value={name} onChange={(event) => onChange({ gate: event.target.value })}>
            {gates.map((one) => (
              <option key={one.name} value={one.name.split("@")[0]}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      )}
      {missing.length > 0 && (
        <Note tone="held" icon="warn">
          The gate asks that you open the {missing.join(" and ")} before you sign.
          <button type="button" className="btn sm mt-2 flex" data-first onClick={onEvidence}>
            Open the evidence
          </button>
        </Note>
      )}
      {meanings.length > 0 && (
        <fieldset className="checks">
          <legend className="lbl mb-1">Meaning of your signature</legend>
          {meanings.map((meaning, index) => (
            <label key={meaning}>
              <input
                type="radio"
                className="cb"
                name="meaning"
                required
                data-first={index === 0 ? true : undefined}
                checked={input.meaning === meaning}
                onChange={() => onChange({ meaning, ...gate })}
              />
              <span>{meaning.replaceAll("_", " ")}</span>
            </label>
          ))}
        </fieldset>
      )}
      <div className="form-row">
        <label htmlFor="sign-password">Your password, typed for this signature</label>
        <input
          id="sign-password"
          type="password"
          className="field"
          autoComplete="current-password"
          required
          data-first
          value={input.password ?? ""}
          onChange={(event) => onChange({ password: event.target.value, ...gate })}
        />
      </div>
      <details>
        <summary className="disc">Refuse to sign instead</summary>
        <div className="mt-2 grid gap-2">
          <ReasonField shown={shown} input={input} onChange={onChange} label="Reason, required to refuse" isRequired={false} />
          <button
            type="button"
            className="btn no justify-self-start"
            disabled={!input.reason?.trim() || !input.password}
            onClick={() => {
              const { meaning: _, ...denial } = input;
              onDeny({ ...denial, ...gate });
            }}
          >
            Refuse to sign
          </button>
        </div>
      </details>
    </>
  );
}

/** The meanings that the factors which still need a signature allow. */
function meaningsFor(document: { [name: string]: Json } | null | undefined, open: string[] | undefined): string[] {
  const factors = Array.isArray(document?.factors) ? document.factors : [];
  const words = factors.flatMap((factor) => {
    if (typeof factor !== "object" || factor === null || Array.isArray(factor)) return [];
    return open?.includes(String(factor.name)) ? list(factor.meaning) : [];
  });
  return [...new Set(words)];
}
