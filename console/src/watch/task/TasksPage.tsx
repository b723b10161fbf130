import { Link } from "@tanstack/react-router";
import { useNewestHandoffs } from "../../api/watching";
import { useNow } from "../../browser/now";
import { useTitle } from "../../browser/title";
import { RiskMark, StateBadge, Time } from "../../components/parts";
import { ProblemNote } from "../../components/Problem";
import { Text } from "../../components/Text";
import { isOpen } from "../../handoff/kinds";
import { useMe } from "../../session/me";
import { shorten } from "../../text/text";
import { span } from "../../text/time";
import { holderOf, tasksOf } from "./tasks";

/** The tasks of a project: who has each of them, and since when. */
export function TasksPage() {
  const { project } = useMe();
  const { data, error } = useNewestHandoffs(project);
  const now = useNow();
  useTitle("Tasks");
  const rows = tasksOf(data?.items ?? []);
  const open = rows.filter(({ current }) => isOpen(current)).length;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="ph">
        <h1>Tasks</h1>
        {data && (
          <span className="mut">
            {open} open, {rows.length - open} closed{data.next ? ", of the newest 500 handoffs" : ""}
          </span>
        )}
      </div>
      {error && <ProblemNote error={error} />}
      {data && rows.length === 0 && <p className="read">No task yet. An agent submits one with tasuki submit.</p>}
      {rows.length > 0 && (
        <section className="pan" aria-label="Tasks">
          <table className="tb cards">
            <thead>
              <tr>
                <th>Task</th>
                <th>State</th>
                <th>With</th>
                <th>Since</th>
                <th>Risk</th>
                <th className="num">Handoffs</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ task, current, handoffs }) => (
                <tr key={task}>
                  <td className="w">
                    <Link to="/p/$project/t/$task" params={{ project, task }}>
                      <Text>{shorten(task, 60)}</Text>
                    </Link>
                    <p className="sec">
                      <Text>{shorten(current.goal ?? "", 120)}</Text>
                    </p>
                  </td>
                  <td>
                    <StateBadge state={current.state} />
                  </td>
                  <td data-l="with">{holderOf(current)}</td>
                  <td>
                    {isOpen(current) && current.since ? `${span(now - Date.parse(current.since))}` : <Time at={current.since ?? current.submitted_at} />}
                  </td>
                  <td>
                    <RiskMark risk={current.risk} />
                  </td>
                  <td className="num end">{handoffs}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </main>
  );
}
