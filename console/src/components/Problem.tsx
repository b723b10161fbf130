import { ApiError } from "../api/http";
import { Note } from "./parts";

/** The exchange writes messages without a capital letter and a full stop. */
const sentence = (text: string): string => {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…”`]$/.test(capital) ? capital : `${capital}.`;
};

/** Shows why something did not happen, in the words of the exchange. */
export function ProblemNote({ error }: { error: Error }) {
  if (!(error instanceof ApiError)) {
    return (
      <Note tone="held" icon="warn">
        <b>The exchange did not answer.</b> Nothing is known to have been sent. Try again.
      </Note>
    );
  }
  const { code, detail, hint, violations } = error.problem;
  return (
    <Note tone="refused" icon="rejected">
      <p>
        <b>{sentence(detail)}</b>
      </p>
      {hint && <p className="sec">{sentence(hint)}</p>}
      {code && (
        <p className="mut">
          <code>{code}</code>
        </p>
      )}
      {violations && (
        <ul className="mt-1 grid gap-0.5">
          {violations.slice(0, 20).map((one) => (
            <li key={`${one.pointer} ${one.code}`}>
              <code>{one.pointer || "/"}</code> {one.message}
            </li>
          ))}
        </ul>
      )}
    </Note>
  );
}
