import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type MailDecisionRequest, redeemMailCode, viewMailCode } from "../api/client";
import type { MailCode } from "../api/types";
import { useTitle } from "../browser/title";
import { Note, Time } from "../components/parts";
import { ProblemNote } from "../components/Problem";
import { Logo } from "../components/Sash";
import { Welcome } from "../session/Welcome";
import { MailCard } from "./MailCard";
import { MailDecision } from "./MailDecision";

/**
 * The page of a code that was mailed to a person. The code stands in the fragment, which browsers do not send.
 * Opening the page shows the handoff and redeems nothing; a button does, once, without a session.
 */
export function MailPage() {
  useTitle("Decide by mail");
  const [code] = useState(() => window.location.hash.slice(1));
  const { data, error } = useQuery({
    queryKey: ["mail-code", code],
    queryFn: ({ signal }) => viewMailCode(code, signal),
    staleTime: Infinity,
    retry: false,
    enabled: code !== "",
  });
  const redeem = useMutation({
    mutationFn: (request: Omit<MailDecisionRequest, "code">) => redeemMailCode({ code, ...request }),
  });
  const shown = redeem.data ?? data;
  if (!shown) return <Unusable error={error} hasCode={code !== ""} />;
  return (
    <div className="mail">
      <header className="row">
        <Logo />
        <b>Tasuki</b>
        <span className="end mut">
          for {shown.person}, until <Time at={shown.expires_at} />
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        <h1 className="sr-only">Decide about one handoff</h1>
        <MailCard code={shown} />
        {redeem.isSuccess ? (
          <Done code={redeem.data} isAccepted={redeem.variables.decision === "accept"} />
        ) : shown.open ? (
          <MailDecision code={shown} error={redeem.error} isBusy={redeem.isPending} onDecide={redeem.mutate} />
        ) : (
          <Note tone="held" icon="warn">
            <b>There is nothing left to decide with this code.</b> It was for revision {shown.revision}, which is no longer
            held.
          </Note>
        )}
      </main>
    </div>
  );
}

function Done({ code, isAccepted }: { code: MailCode; isAccepted: boolean }) {
  const after = code.state === "offered" ? `It is offered to ${code.to}.` : `It is ${code.state.replaceAll("_", " ")} now.`;
  return (
    <div role="status">
      <Note tone={isAccepted ? "done" : "refused"} icon={isAccepted ? "done" : "rejected"}>
        <b>{isAccepted ? "Accepted." : "Rejected."}</b> {after} The code is used up; you can close this page.
      </Note>
    </div>
  );
}

function Unusable({ error, hasCode }: { error: Error | null; hasCode: boolean }) {
  if (hasCode && !error) return null;
  return (
    <Welcome title="This code cannot be used">
      {error ? <ProblemNote error={error} /> : <p className="sec">The address has no code. Open the link of the mail as it is.</p>}
      <p className="sec">
        A code is for one revision of one handoff, and works once and for 24 hours. Sign in to see what waits for you now.
      </p>
      <Link to="/" className="btn pri">
        Open the inbox
      </Link>
    </Welcome>
  );
}
