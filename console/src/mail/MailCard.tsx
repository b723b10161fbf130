import { CardFrame, Leg, Section } from "tasuki-handoff-protocol/parts";
import type { MailCode } from "../api/types";
import { Cause } from "../card/sections/holds";
import { RiskMark, StateBadge } from "../components/parts";
import { sashOf } from "../components/Sash";
import { Text } from "../components/Text";
import { heldBy } from "../handoff/causes";
import { shortId } from "../text/ids";
import { handoffOf } from "./handoffOf";

/** The handoff of a mailed code, as much of it as the mail may show. */
export function MailCard({ code }: { code: MailCode }) {
  const handoff = handoffOf(code);
  return (
    <CardFrame
      labelledBy="goal"
      status={
        <>
          <StateBadge state={code.state}>{heldBy(handoff)}</StateBadge>
          <RiskMark risk={code.risk} long />
          <code className="mono sec end" title={code.handoff}>
            {shortId(code.handoff)} · r{code.revision}
          </code>
        </>
      }
    >
      <Leg from={{ name: code.from }} to={{ name: code.to }} sash={sashOf(handoff)} />
      <Section title="Task">
        <p className="hp-text">
          <Text>{code.task}</Text>
        </p>
      </Section>
      <Section title={code.action ? "Action" : "Goal"}>
        <div id="goal">
          {code.action ? (
            <pre className="code" tabIndex={0} role="region" aria-label="Action">
              <span dir="auto">
                <Text>{code.action}</Text>
              </span>
            </pre>
          ) : (
            <p className="hp-goal" dir="auto">
              <Text>{code.goal ?? "It is not shown in messages."}</Text>
            </p>
          )}
        </div>
      </Section>
      {code.causes && code.causes.length > 0 && (
        <Section title="What holds it">
          <ul className="plain">
            {code.causes.map((cause) => (
              <Cause key={cause.by} cause={cause} handoff={handoff} />
            ))}
          </ul>
        </Section>
      )}
      <footer className="man-f">
        <span>
          The mail shows at most 200 characters. <a href={`/ui/p/${encodeURIComponent(code.project)}/h/${code.handoff}`}>Sign in</a>{" "}
          to read all of it.
        </span>
      </footer>
    </CardFrame>
  );
}
