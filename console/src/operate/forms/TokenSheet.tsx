import { useState } from "react";
import * as api from "../../api/operate";
import type { Token } from "../../api/operate";
import type { Scope } from "../../api/types";
import { Copyable } from "../../components/Command";
import { Note } from "../../components/parts";
import { Sheet } from "../../components/Sheet";
import { useMe } from "../../session/me";
import { useAction } from "../useOperate";
import { ActionSheet } from "./ActionSheet";
import { ChecksRow, SelectRow, TextRow, words } from "./rows";

const SCOPES: [Scope, string][] = [
  ["submit", "sends handoffs"],
  ["receive", "claims and returns work"],
  ["read", "reads every handoff"],
  ["decide", "decides, as a person"],
  ["verify", "judges returns"],
  ["admin", "operates the project"],
];
const LASTS: [string, string][] = [
  ["1d", "1 day"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
];

/** Creates a token. Its text is shown once, and nowhere kept. */
export function TokenSheet({ onClose }: { onClose: () => void }) {
  const { parties } = useMe();
  const [created, setCreated] = useState<Token>();
  const [form, setForm] = useState({ party: "", name: "", from: "", lasts: "30d", scopes: ["submit", "receive"] });
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const action = useAction({
    run: (project: string, { party, name, from, lasts, scopes }: typeof form) =>
      api.createToken(project, { party, scopes: scopes as Scope[], for: lasts, ...(name && { name }), ...(from && { from: words(from) }) }),
    onDone: ({ token }) => setCreated(token),
  });
  if (created?.text) return <Created token={created} text={created.text} onClose={onClose} />;
  return (
    <ActionSheet title="Create a token" verb="Create the token" action={action} input={form} consequence="Its text is shown once. The exchange keeps only a hash of it." onClose={onClose}>
      <TextRow
        label="Party"
        hint="The agent or person that the token speaks for."
        value={form.party}
        isRequired
        offers={parties.filter((party) => party.kind !== "role").map((party) => party.name)}
        onChange={(party) => change({ party })}
      />
      <TextRow label="Name" hint="How lists name it, such as ci-hermes." value={form.name} onChange={(name) => change({ name })} />
      <ChecksRow label="Scopes" options={SCOPES} chosen={form.scopes} onChange={(scopes) => change({ scopes })} />
      <SelectRow label="Lasts" value={form.lasts} options={LASTS} onChange={(lasts) => change({ lasts })} />
      <TextRow label="Networks" hint="Where it may be used from, such as 10.0.0.0/8. Empty: anywhere." value={form.from} isMono onChange={(from) => change({ from })} />
    </ActionSheet>
  );
}

function Created({ token, text, onClose }: { token: Token; text: string; onClose: () => void }) {
  return (
    <Sheet title={`Token of ${token.party}`} onClose={onClose}>
      <Note tone="held" icon="warn">
        <b>Copy it now.</b> This is the only time that it is shown. If it is lost, revoke it and create another.
      </Note>
      <Copyable text={text} label="Copy token" isSecret />
      <p className="sec">
        Programs read it from <code>TASUKI_TOKEN</code>.
      </p>
      <div className="foot">
        <button type="button" className="btn pri" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Sheet>
  );
}
