import { type FormEvent, useState } from "react";
import type { MailDecisionRequest } from "../api/client";
import type { MailCode } from "../api/types";
import { ProblemNote } from "../components/Problem";
import { consequence } from "../handoff/consequence";
import { handoffOf } from "./handoffOf";

interface MailDecisionProps {
  code: MailCode;
  error: Error | null;
  isBusy: boolean;
  onDecide: (request: Omit<MailDecisionRequest, "code">) => void;
}

/** Accept, or reject with a reason. The code allows nothing else. */
export function MailDecision({ code, error, isBusy, onDecide }: MailDecisionProps) {
  const handoff = handoffOf(code);
  const [isRejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState("");
  const reject = (event: FormEvent) => {
    event.preventDefault();
    onDecide({ decision: "reject", reason: reason.trim() });
  };
  return (
    <section className="mail-d" aria-label="Decision">
      <div role="alert">{error && <ProblemNote error={error} />}</div>
      {isRejecting ? (
        <form className="dform" onSubmit={reject}>
          <div className="form-row">
            <label htmlFor="reason">Reason (goes to {handoff.action ? handoff.holder : handoff.from})</label>
            <textarea id="reason" className="field" required autoFocus value={reason} onChange={(event) => setReason(event.target.value)} />
          </div>
          <p className="sec">{consequence("reject", handoff)}</p>
          <div className="foot">
            <button type="submit" className="btn no" disabled={isBusy}>
              Reject
            </button>
            <button type="button" className="btn ghost" onClick={() => setRejecting(false)}>
              Back
            </button>
          </div>
        </form>
      ) : (
        <div className="verbs by3">
          <div className="full">
            <button type="button" className="btn pri" disabled={isBusy} aria-describedby="does-accept" onClick={() => onDecide({ decision: "accept" })}>
              Accept
            </button>
            <p id="does-accept">{consequence("accept", handoff)}</p>
          </div>
          <div className="full">
            <button type="button" className="btn no" disabled={isBusy} aria-describedby="does-reject" onClick={() => setRejecting(true)}>
              Reject…
            </button>
            <p id="does-reject">{consequence("reject", handoff)}</p>
          </div>
        </div>
      )}
    </section>
  );
}
