import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { redeemMailCode, viewMailCode } from "../api/client";
import { ProblemNote } from "../components/Problem";
import { Manifest } from "../card/Manifest";
import { Note } from "../components/parts";
import { Logo } from "../components/Sash";
import { useTitle } from "../browser/title";
import { MeContext } from "../session/me";
import { Welcome } from "../session/Welcome";
import { clock } from "../text/time";
import { MailDecision } from "./MailDecision";

const NO_ATTENTION = { opened: [], open: () => undefined, seconds: () => 0 };

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
  const decision = useMutation({
    mutationFn: ({ decision, reason }: { decision: "accept" | "reject"; reason: string }) => redeemMailCode(code, decision, reason),
  });
  if (!data) return <Unusable error={error} hasCode={code !== ""} />;
  const { handoff, person, project, expires_at } = data;
  const viewer = { name: person, scopes: [], roles: [], sendsFor: [] };
  return (
    <MeContext value={{ project, projects: [], viewer, parties: [] }}>
      <div className="mail">
        <header className="row">
          <Logo />
          <b>Tasuki</b>
          <span className="end mut">
            for {person}, until {clock(Date.parse(expires_at))}
          </span>
        </header>
        <main id="main" tabIndex={-1}>
          <h1 className="sr-only">Decide about one handoff</h1>
          <Manifest shown={{ ...data, etag: "" }} contract={undefined} events={[]} attention={NO_ATTENTION} />
          {decision.isSuccess ? (
            <Note tone={decision.variables.decision === "accept" ? "done" : "refused"} icon="done">
              <b>{decision.variables.decision === "accept" ? "Accepted." : "Rejected."}</b> {handoff.from} is told. The code
              is used up; you can close this page.
            </Note>
          ) : (
            <MailDecision
              handoff={handoff}
              error={decision.error}
              isBusy={decision.isPending}
              onDecide={(word, reason) => decision.mutate({ decision: word, reason })}
            />
          )}
        </main>
      </div>
    </MeContext>
  );
}

function Unusable({ error, hasCode }: { error: Error | null; hasCode: boolean }) {
  if (hasCode && !error) return null;
  return (
    <Welcome title="This code cannot be used">
      {error ? <ProblemNote error={error} /> : <p className="sec">The address has no code. Open the link of the mail as it is.</p>}
      <p className="sec">
        A code is for one revision of one handoff, works once and for 24 hours. Sign in to see what waits for you now.
      </p>
      <Link to="/" className="btn pri">
        Open the inbox
      </Link>
    </Welcome>
  );
}
