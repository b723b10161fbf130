// The data of a card: the exact action, and values that have no section of their own.

import type { HandoffPayloadItem } from "tasuki-handoff-protocol";
import { Payload, Section } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../../api/queries";
import type { Approval, Json, Packet } from "../../api/types";
import { Time } from "../../components/parts";
import { Text } from "../../components/Text";
import { rest } from "../../handoff/packet";
import { valueText } from "../../text/text";

/** Returns labelled JSON values as the texts that a card shows. */
export const rowsOf = (values: { label: string; value: Json }[]): HandoffPayloadItem[] =>
  values.map(({ label, value }) => ({ label, value: valueText(value) }));

/** A command breaks between its words only: `--set` never becomes `-` and `-set`. */
function Command({ children }: { children: string }) {
  return children.split(/(\s+)/).map((word, index) =>
    index % 2 === 0 ? (
      <span key={index} className="inline-block max-w-full">
        <Text>{word}</Text>
      </span>
    ) : (
      <Text key={index}>{word}</Text>
    ),
  );
}

/** An action, byte for byte: its command, then its other members. */
function Action({ action }: { action: Json }) {
  const isObject = typeof action === "object" && action !== null && !Array.isArray(action);
  const { command, ...rest } = isObject ? action : { command: action };
  return (
    <>
      {command !== undefined && (
        <div className="code mb-2" tabIndex={0} role="region" aria-label="Command">
          <span dir="ltr">
            <Command>{valueText(command)}</Command>
          </span>
        </div>
      )}
      {Object.keys(rest).length > 0 && <Payload rows={rowsOf(Object.entries(rest).map(([label, value]) => ({ label, value })))} />}
    </>
  );
}

/** The action that the holder asks approval for, or the one that was decided about last. */
export function ActionSection({ shown: { action, approval, handoff } }: { shown: Shown }) {
  if (action !== undefined && action !== null && handoff.action) {
    return (
      <Section title="Action" note={`${handoff.holder} runs exactly this, once`}>
        <Action action={action} />
      </Section>
    );
  }
  return approval?.action === undefined ? null : <ApprovedSection approval={approval} action={approval.action} />;
}

function ApprovedSection({ approval: { result, by, at }, action }: { approval: Approval; action: Json }) {
  return (
    <Section
      title="Action that may be run"
      note={
        <>
          {result === "edited" ? "changed and accepted" : "accepted"} by {by}, <Time at={at} />
        </>
      }
    >
      <Action action={action} />
    </Section>
  );
}

/** The members that have no place of their own, so that nothing is accepted unseen. */
export function RestSection({ packet }: { packet: Packet | undefined }) {
  const rows = rest(packet);
  if (rows.length === 0) return null;
  return (
    <Section title="Also in the packet">
      <Payload rows={rowsOf(rows)} />
    </Section>
  );
}
