import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { inboxQuery } from "../api/queries";
import type { Handoff } from "../api/types";
import { Icon } from "../components/Icon";
import { Text } from "../components/Text";
import { KINDS, kindOf } from "../handoff/kinds";
import { useMe } from "../session/me";
import { shorten } from "../text/text";

/** The other handoffs of the task that are in the inbox, where the task is one row. */
export function TaskPanel({ handoff }: { handoff: Handoff }) {
  const { project, viewer } = useMe();
  const { data } = useQuery(inboxQuery(project));
  const others = (data?.items ?? []).filter((item) => item.task === handoff.task && item.id !== handoff.id);
  return (
    <section className="pan" aria-label="Task">
      <h2>
        Task
        <span className="end">
          <Link to="/p/$project/t/$task" params={{ project, task: handoff.task }}>
            <Text>{shorten(handoff.task, 28)}</Text>
          </Link>
        </span>
      </h2>
      {others.length > 0 && <p className="in pb-0 mut">Also in this task</p>}
      <ul className={others.length > 0 ? "in plain" : "plain"}>
        {others.map((item) => {
          const { icon, word } = KINDS[kindOf(item, viewer.name)];
          return (
            <li key={item.id}>
              <Icon name={icon} />
              <span>
                {word}:{" "}
                <Link to="/p/$project/h/$id" params={{ project, id: item.id }}>
                  <Text>{shorten(item.goal ?? item.task, 120)}</Text>
                </Link>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
