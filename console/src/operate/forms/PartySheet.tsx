import { useState } from "react";
import * as api from "../../api/operate";
import type { Party } from "../../api/types";
import { Copyable } from "../../components/Command";
import { useMe } from "../../session/me";
import { useAction } from "../useOperate";
import { ActionSheet } from "./ActionSheet";
import { SelectRow, TextRow, words } from "./rows";

const KINDS: [Party["kind"], string][] = [
  ["agent", "agent: a program"],
  ["role", "role: any of its members"],
  ["human", "person: decides and signs"],
];

/** Adds an agent, a role or a person. */
export function PartySheet({ onClose }: { onClose: () => void }) {
  const { parties } = useMe();
  const [form, setForm] = useState({ kind: "agent" as Party["kind"], name: "", members: "" });
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const isRole = form.kind === "role";
  const full = isRole && form.name && !form.name.startsWith("role:") ? `role:${form.name}` : form.name;
  const action = useAction({
    run: (project: string, { kind, members }: typeof form) =>
      api.addParty(project, { name: full, kind, ...(isRole && members ? { members: words(members) } : {}) }),
    done: (answer) => (answer.repeated ? `${full} is there already, unchanged.` : `Added ${full}.`),
    onDone: onClose,
  });
  return (
    <ActionSheet
      title="Add a party"
      verb={full ? `Add ${full}` : "Add the party"}
      action={action}
      input={form}
      consequence={
        form.kind === "human"
          ? "The person gets a password on the machine of the exchange, with the command above. Without one they cannot sign in."
          : isRole
            ? "Work that is offered to the role can be claimed by any member."
            : "It can send and receive work as soon as it has a token."
      }
      onClose={onClose}
    >
      <SelectRow label="Kind" value={form.kind} options={KINDS} onChange={(kind) => change({ kind: kind as Party["kind"] })} />
      <TextRow label="Name" hint={isRole ? "The name of a role begins with role:" : "Lower case, such as hermes-main."} value={form.name} isRequired isMono onChange={(name) => change({ name })} />
      {isRole && (
        <TextRow
          label="Members"
          hint="Agents and people, separated by commas."
          value={form.members}
          offers={parties.filter((party) => party.kind !== "role").map((party) => party.name)}
          onChange={(members) => change({ members })}
        />
      )}
      {form.kind === "human" && form.name && <Copyable text={`tasuki party add ${form.name} --human`} />}
    </ActionSheet>
  );
}
