import { useLeafCheck } from "../../api/watching";
import { Note } from "../../components/parts";
import { ProblemNote } from "../../components/Problem";
import { Sheet } from "../../components/Sheet";
import { Text } from "../../components/Text";
import { useMe } from "../../session/me";
import type { ChainCheck } from "./chain";
import { hexOf } from "./leaf";

/** The check of one leaf: its bytes, the hash that this browser computed, and its links. */
export function LeafSheet({ n, onClose }: { n: number; onClose: () => void }) {
  const { project } = useMe();
  const { data, error } = useLeafCheck(project, n);
  return (
    <Sheet title={`Log entry #${n}`} isWide onClose={onClose}>
      {error && <ProblemNote error={error} />}
      {data && <LeafView n={n} check={data} />}
    </Sheet>
  );
}

function LeafView({ n, check }: { n: number; check: ChainCheck }) {
  const leaf = check.leaves.get(n);
  const before = check.leaves.get(n - 1);
  const next = check.leaves.get(n + 1);
  if (!leaf) {
    const line = check.unreadable[0];
    return (
      <Note tone="refused" icon="warn">
        <b>#{n} is broken:</b> {line ? line.unreadable : "the log has no such entry"}.
      </Note>
    );
  }
  const isLinked = before ? before.hash === leaf.prev : leaf.n === 0;
  return (
    <>
      {leaf.status === "broken" || !isLinked ? (
        <Note tone="refused" icon="warn">
          <b>#{n} is broken:</b> {leaf.why ?? "it does not contain the hash of the entry before it"}.
        </Note>
      ) : (
        <Note tone="done" icon="shield">
          <b>#{n} is linked.</b> This browser recomputed its hash from the bytes below.{" "}
          {next ? `The entry after it contains that hash.` : "It is the newest entry: nothing after it confirms it yet."}
        </Note>
      )}
      <dl className="dl wide">
        <dt>Hash</dt>
        <dd>
          <code>sha256:{hexOf(leaf.hash)}</code>
        </dd>
        <dt>Before it</dt>
        <dd>
          <code>sha256:{hexOf(leaf.prev)}</code>
          <br />
          <span className="mut">
            {before ? (isLinked ? `recomputed from #${before.n}: the same` : `recomputed from #${before.n}: ${hexOf(before.hash)}`) : "the beginning of the log"}
          </span>
        </dd>
        {next && (
          <>
            <dt>After it</dt>
            <dd className="mut">
              #{next.n} {next.prev === leaf.hash ? "contains this hash" : `contains ${hexOf(next.prev)}`}
            </dd>
          </>
        )}
      </dl>
      <pre className="code" tabIndex={0} role="region" aria-label="Bytes of the entry">
        <span>
          <Text>{leaf.text}</Text>
        </span>
      </pre>
      <p className="mut">SHA-256 over a zero byte and these bytes, as RFC 6962 says. A log that was rewritten as a whole is found only with a hash that was kept elsewhere.</p>
    </>
  );
}
