// The data of a card: the exact action, and the payload.

import type { Shown } from "../../api/queries";
import type { Json, Packet } from "../../api/types";
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

/** The action that the holder asks approval for, byte for byte. */
export function ActionSection({ shown: { action, handoff } }: { shown: Shown }) {
  if (action === undefined || action === null || !handoff.action) return null;
  const isObject = typeof action === "object" && !Array.isArray(action);
  const { command, ...rest } = isObject ? action : { command: action };
  return (
    <div className="sect">
      <h3>
        Action <span className="end">{handoff.holder} runs exactly this, once</span>
      </h3>
      {command !== undefined && (
        <div className="code mb-2" tabIndex={0} role="region" aria-label="Command">
          <span dir="ltr">
            <Command>{valueText(command)}</Command>
          </span>
        </div>
      )}
      {Object.keys(rest).length > 0 && <Table rows={Object.entries(rest).map(([label, value]) => ({ label, value }))} />}
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
