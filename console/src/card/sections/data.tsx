// The data of a card: the exact action, and the payload.

import type { Shown } from "../../api/queries";
import type { Approval, Json, Packet } from "../../api/types";
import { Time } from "../../components/parts";
import { LongText, Text } from "../../components/Text";
import { payload, rest } from "../../handoff/packet";
import { valueText } from "../../text/text";

/** Labelled values, each exactly as it was sent. */
function Table({ rows }: { rows: { label: string; value: Json }[] }) {
  return (
    <table className="kv">
      <tbody>
        {rows.map(({ label, value }, index) => (
          <tr key={`${label} ${index}`}>
            <th scope="row" dir="auto">
              <Text>{label}</Text>
            </th>
            <td dir="auto">
              <Value value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ value }: { value: Json }) {
  const text = valueText(value);
  return text.length > 2000 ? <LongText className="">{text}</LongText> : <Text>{text}</Text>;
}

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
      {Object.keys(rest).length > 0 && <Table rows={Object.entries(rest).map(([label, value]) => ({ label, value }))} />}
    </>
  );
}

/** The action that the holder asks approval for, or the one that was decided about last. */
export function ActionSection({ shown: { action, approval, handoff } }: { shown: Shown }) {
  if (action !== undefined && action !== null && handoff.action) {
    return (
      <div className="sect">
        <h3>
          Action <span className="end">{handoff.holder} runs exactly this, once</span>
        </h3>
        <Action action={action} />
      </div>
    );
  }
  return approval?.action === undefined ? null : <ApprovedSection approval={approval} action={approval.action} />;
}

function ApprovedSection({ approval: { result, by, at }, action }: { approval: Approval; action: Json }) {
  return (
    <div className="sect">
      <h3>
        Action that may be run{" "}
        <span className="end">
          {result === "edited" ? "changed and accepted" : "accepted"} by {by}, <Time at={at} />
        </span>
      </h3>
      <Action action={action} />
    </div>
  );
}

export function PayloadSection({ packet }: { packet: Packet | undefined }) {
  const rows = payload(packet);
  if (rows.length === 0) return null;
  return (
    <div className="sect">
      <h3>Context Payload</h3>
      <Table rows={rows} />
    </div>
  );
}

/** The members that have no place of their own, so that nothing is accepted unseen. */
export function RestSection({ packet }: { packet: Packet | undefined }) {
  const rows = rest(packet);
  if (rows.length === 0) return null;
  return (
    <div className="sect">
      <h3>Also in the packet</h3>
      <Table rows={rows} />
    </div>
  );
}
