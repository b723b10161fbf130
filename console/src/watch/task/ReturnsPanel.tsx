import { Link } from "@tanstack/react-router";
import type { Handoff, Packet, ReturnDetails } from "../../api/types";
import { Icon, type IconName } from "../../components/Icon";
import { Time } from "../../components/parts";
import { Text } from "../../components/Text";
import { type Criterion, text } from "../../handoff/packet";
import { useMe } from "../../session/me";
import { shortId } from "../../text/ids";
import { criteria } from "./acceptance";

const RESULTS: Record<string, { icon: IconName; tone: string }> = {
  pass: { icon: "check", tone: "ok" },
  fail: { icon: "rejected", tone: "no" },
};

interface ReturnsPanelProps {
  handoff: Handoff;
  packet: Packet | undefined;
  /** The returns of the task, newest first. */
  returns: ReturnDetails[];
  /** Set if the person may judge the newest return. */
  canJudge: boolean;
}

/** The last two returns and their verdicts against each acceptance criterion. */
export function ReturnsPanel({ handoff, packet, returns, canJudge }: ReturnsPanelProps) {
  const { project } = useMe();
  const shown = returns.slice(0, 2).toReversed();
  if (shown.length === 0) return null;
  const rows = criteria(packet, shown);
  const heads = shown.length === 1 ? ["Return"] : [returns.length > 2 ? "Return before" : "First return", "This return"];
  return (
    <section className="pan" aria-labelledby="returns">
      <h2 id="returns">
        Return against acceptance
        <span className="end">
          {handoff.reworks ? `rework ${handoff.reworks} · ` : ""}
          <Link to="/p/$project/h/$id" params={{ project, id: handoff.id }}>
            {shortId(handoff.id)}
          </Link>
        </span>
      </h2>
      <table className="tb cards">
        <thead>
          <tr>
            <th>Criterion</th>
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
            <th>Evidence</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td className="w">
                {row.text !== row.id && (
                  <>
                    <b>
                      <Text>{row.id}</Text>
                    </b>{" "}
                  </>
                )}
                <Text>{row.text}</Text>
              </td>
              {row.results.map((result, index) => (
                <td key={heads[index]} data-l={heads[index]?.toLowerCase()}>
                  <Result result={result} />
                </td>
              ))}
              <td className="end">
                <span className="ref">
                  <Text>{row.results.at(-1)?.evidence.join(", ") || "none"}</Text>
                </span>
              </td>
            </tr>
          ))}
          <tr>
            <td className="w">
              <b>Verdict</b>
            </td>
            {shown.map((one, index) => (
              <td key={one.id} data-l={heads[index]?.toLowerCase()}>
                <Verdict of={one} />
              </td>
            ))}
            <td className="end" />
          </tr>
        </tbody>
      </table>
      {rows.length === 0 && <p className="in mut">The packet has no acceptance criteria.</p>}
      <div className="in grid gap-2">
        {shown.toReversed().map((one) => (
          <p key={one.id} className="sec">
            <b>{one.by}</b> returned <Time at={one.at} />: <Text>{summary(one.packet)}</Text>
            {one.verdict?.reason && (
              <>
                {" "}
                <b>{one.verdict.by}</b>: “<Text>{one.verdict.reason}</Text>”
              </>
            )}
          </p>
        ))}
        {canJudge && (
          <p>
            <Link to="/p/$project/h/$id" params={{ project, id: handoff.id }} className="btn sm pri">
              Judge the return <kbd>A</kbd>
            </Link>
          </p>
        )}
      </div>
    </section>
  );
}

const summary = (packet: Packet) => text(packet, "handoff_summary") ?? text(packet, "summary") ?? "no summary";

function Result({ result }: { result: Criterion | undefined }) {
  const mark = RESULTS[result?.result ?? ""] ?? { icon: "q" as const, tone: "" };
  return (
    <span className={`mark ${mark.tone}`}>
      <Icon name={mark.icon} />
      <Text>{result?.result.replaceAll("_", " ") || "not named"}</Text>
    </span>
  );
}

function Verdict({ of: { verdict } }: { of: ReturnDetails }) {
  if (!verdict) return <span className="mut">not judged</span>;
  return (
    <span className={`mark ${verdict.result === "pass" ? "ok" : "no"}`}>
      <Icon name={verdict.result === "pass" ? "check" : "rejected"} />
      {verdict.result}
    </span>
  );
}
