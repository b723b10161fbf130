// What proves it: evidence, artifacts and provenance.

import { Link } from "@tanstack/react-router";
import { Section } from "tasuki-handoff-protocol/parts";
import type { Shown } from "../../api/queries";
import type { Packet } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Text } from "../../components/Text";
import { artifacts, items, members } from "../../handoff/packet";
import { useMe } from "../../session/me";
import { shortDigest, shortId } from "../../text/ids";
import { bytes } from "../../text/text";
import type { Attention } from "../useReading";

interface EvidenceProps {
  packet: Packet | undefined;
  attention: Attention;
}

/** Evidence is opened by the person, which is recorded with the decision. */
export function EvidenceSections({ packet, attention }: EvidenceProps) {
  const evidence = items(packet, "evidence_refs");
  const files = artifacts(packet);
  if (evidence.length === 0 && files.length === 0) return null;
  const isOpen = attention.opened.includes("evidence");
  return (
    <div className="two" id="evidence">
      {evidence.length > 0 && (
        <Section title="Evidence" note={isOpen ? "opened" : "not opened"}>
          {isOpen ? (
            <ul className="plain">
              {evidence.map((item, index) => (
                <li key={index}>
                  <Icon name="clip" />
                  <span className="ref">
                    <Text>{item.text}</Text>
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <button type="button" className="disc" onClick={() => attention.open("evidence")}>
              Show {evidence.length} {evidence.length === 1 ? "reference" : "references"}
            </button>
          )}
        </Section>
      )}
      {files.length > 0 && (
        <Section title="Artifacts">
          <ul className="plain">
            {files.map((file) => (
              <li key={file.path}>
                <Icon name="file" />
                <span>
                  <Text>{file.path}</Text>
                </span>
                <span className="end mut">
                  {file.bytes !== undefined && bytes(file.bytes)}
                  {file.digest && (
                    <>
                      {" · "}
                      <code title={file.digest}>{shortDigest(file.digest)}</code>
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

export function ProvenanceSection({ shown: { handoff, packet } }: { shown: Shown }) {
  const { project } = useMe();
  const known = members(packet, "provenance");
  if (known.length === 0 && !handoff.parent) return null;
  return (
    <Section title="Provenance" note={`as reported by ${handoff.from}`}>
      <dl className="dl">
        {known.map(({ name, values }) => (
          <div key={name} className="contents">
            <dt>
              <Text>{name}</Text>
            </dt>
            <dd>
              <Text>{values.join(", ")}</Text>
            </dd>
          </div>
        ))}
        {handoff.parent && (
          <>
            <dt>Parent</dt>
            <dd>
              <Link to="/p/$project/h/$id" params={{ project, id: handoff.parent }}>
                {shortId(handoff.parent)}
              </Link>
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}
