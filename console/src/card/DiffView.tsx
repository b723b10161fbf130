import type { Json } from "../api/types";
import { Text } from "../components/Text";
import { type Change, changeText, difference, type Segment, words } from "../text/diff";

/** The difference between two documents, one block for each value. */
export function DiffView({ before, after }: { before: Json | undefined; after: Json | undefined }) {
  const changes = difference(before, after);
  if (changes.length === 0) return <p className="sec">Nothing differs.</p>;
  return (
    <div className="code" tabIndex={0} role="region" aria-label="Difference">
      {changes.slice(0, 200).map((change) => (
        <Block key={change.pointer} change={change} />
      ))}
    </div>
  );
}

function Block({ change }: { change: Change }) {
  const before = changeText(change.before);
  const after = changeText(change.after);
  const marked = before !== undefined && after !== undefined ? words(before, after) : undefined;
  return (
    <>
      <span className="hunk">
        <Text>{change.pointer || "/"}</Text>
      </span>
      {before !== undefined && (
        <span className="del">
          <span className="sr-only">removed: </span>- <Marked segments={marked?.before ?? [{ text: before, changed: true }]} as="del" />
        </span>
      )}
      {after !== undefined && (
        <span className="add">
          <span className="sr-only">added: </span>+ <Marked segments={marked?.after ?? [{ text: after, changed: true }]} as="ins" />
        </span>
      )}
    </>
  );
}

function Marked({ segments, as: Tag }: { segments: Segment[]; as: "ins" | "del" }) {
  return segments.map((segment, index) =>
    segment.changed ? (
      <Tag key={index}>
        <Text>{segment.text}</Text>
      </Tag>
    ) : (
      <Text key={index}>{segment.text}</Text>
    ),
  );
}
