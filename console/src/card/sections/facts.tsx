// What happened, and the lists of a packet.

import { Section } from "tasuki-handoff-protocol/parts";
import type { Packet } from "../../api/types";
import { Icon, type IconName } from "../../components/Icon";
import { Text } from "../../components/Text";
import { type Item, items, members } from "../../handoff/packet";

const MARKS: Record<string, { icon: IconName; tone: string }> = {
  verified: { icon: "check", tone: "ok" },
  assumed: { icon: "approx", tone: "as" },
  unknown: { icon: "q", tone: "" },
};

/** The completed items, each with how sure the sender is and its evidence. */
export function Facts({ facts }: { facts: Item[] }) {
  const hasStates = facts.some((fact) => fact.state !== undefined);
  return (
    <ul className={hasStates ? "facts" : "facts bare"}>
      {facts.map((fact, index) => {
        const mark = MARKS[fact.state ?? "unknown"] ?? { icon: "q" as const, tone: "" };
        return (
          <li key={index}>
            {hasStates && (
              <span className={`mark ${mark.tone}`}>
                <Icon name={mark.icon} />
                {fact.state ?? "unmarked"}
              </span>
            )}
            <span dir="auto">
              <Text>{fact.text}</Text>
            </span>
            {(hasStates || fact.evidence.length > 0) && (
              <span className={fact.evidence.length > 0 ? "ref" : "ref mut"}>
                <Text>{fact.evidence.join(", ") || "no evidence"}</Text>
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Counts the completed items by how sure the sender is. */
export function factCounts(facts: Item[]): string {
  const counts = ["verified", "assumed", "unknown"]
    .map((state) => [facts.filter((fact) => fact.state === state).length, state] as const)
    .filter(([count]) => count > 0);
  return counts.map((pair) => pair.join(" ")).join(", ");
}

const LISTS: [string, string][] = [
  ["remaining", "Remaining"],
  ["acceptance", "Acceptance"],
  ["constraints", "Constraints"],
  ["failure_boundary", "Stop before"],
  ["decisions", "Decisions so far"],
  ["pitfalls_hit", "Pitfalls"],
  ["assumptions", "Assumptions"],
  ["return_required", "Must come back"],
];

/** The other lists of a packet, two beside each other. */
export function ListSections({ packet }: { packet: Packet | undefined }) {
  const scope = members(packet, "scope");
  const sections = LISTS.map(([field, title]) => ({ title, list: items(packet, field) })).filter(({ list }) => list.length > 0);
  const cells = sections.map(({ title, list }) => (
    <Section key={title} title={title}>
      <ol className="plain">
        {list.map((item, index) => (
          <li key={index}>
            <span className="mut">{index + 1}</span>
            <span dir="auto">
              <Text>{item.text}</Text>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  ));
  if (scope.length > 0) {
    cells.push(
      <Section key="scope" title="Scope">
        <ul className="plain">
          {scope.flatMap(({ name, values }) =>
            values.map((value) => (
              <li key={`${name} ${value}`}>
                <Icon name={name === "is" ? "check" : "x"} />
                <span>
                  {name === "is" ? "Is" : name === "is_not" ? "Is not" : name}: <Text>{value}</Text>
                </span>
              </li>
            )),
          )}
        </ul>
      </Section>,
    );
  }
  const rows = Array.from({ length: Math.ceil(cells.length / 2) }, (_, row) => cells.slice(row * 2, row * 2 + 2));
  return rows.map((pair, row) => (
    <div className="two" key={row}>
      {pair}
    </div>
  ));
}
