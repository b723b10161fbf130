import { ApiError } from "../api/http";
import { Note } from "./parts";

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
        <b>{detail}</b> {code && <code>{code}</code>}
      </p>
      {hint && <p className="sec">{hint}</p>}
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
