import type { MailCode } from "../api/types";
import { Cause } from "../card/sections/holds";
import { RiskMark, StateBadge } from "../components/parts";
import { Sash } from "../components/Sash";
import { Text } from "../components/Text";
import { heldBy } from "../handoff/causes";
import { shortId } from "../text/ids";
import { handoffOf } from "./handoffOf";

/** The handoff of a mailed code, as much of it as the mail may show. */
export function MailCard({ code }: { code: MailCode }) {
  const handoff = handoffOf(code);
  return (
    <article className="man" aria-labelledby="goal">
      <header className="man-h">
        <h2 className="cp">Context Packet</h2>
        <StateBadge state={code.state}>{heldBy(handoff)}</StateBadge>
        <RiskMark risk={code.risk} long />
        <code className="mono sec end" title={code.handoff}>
          {shortId(code.handoff)} · r{code.revision}
        </code>
      </header>
      <div className="leg">
        <Party label="From" name={code.from} />
        <Sash handoff={handoff} />
        <Party label="To" name={code.to} />
      </div>
      <div className="sect">
        <h3>Task</h3>
        <p className="read">
          <Text>{code.task}</Text>
        </p>
      </div>
      <div className="sect" id="goal">
        <h3>{code.action ? "Action" : "Goal"}</h3>
        {code.action ? (
          <pre className="code" tabIndex={0} role="region" aria-label="Action">
            <span dir="auto">
              <Text>{code.action}</Text>
            </span>
          </pre>
        ) : (
          <p className="goal" dir="auto">
            <Text>{code.goal ?? "It is not shown in messages."}</Text>
          </p>
        )}
      </div>
      {code.causes && code.causes.length > 0 && (
        <div className="sect">
          <h3>What holds it</h3>
          <ul className="plain">
            {code.causes.map((cause) => (
              <Cause key={cause.by} cause={cause} handoff={handoff} />
            ))}
          </ul>
        </div>
      )}
      <footer className="man-f">
        <span>
          The mail shows at most 200 characters. <a href={`/ui/p/${encodeURIComponent(code.project)}/h/${code.handoff}`}>Sign in</a>{" "}
          to read all of it.
        </span>
      </footer>
    </article>
  );
}

function Party({ label, name }: { label: string; name: string }) {
  return (
    <div>
      <div className="lbl">{label}</div>
      <div className="nm">{name}</div>
    </div>
  );
}
