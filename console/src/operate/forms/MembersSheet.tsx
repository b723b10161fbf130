import { useState } from "react";
import * as api from "../../api/operate";
import type { Party } from "../../api/types";
import { Icon } from "../../components/Icon";
import { partyIcon } from "../../components/parts";
import { ProblemNote } from "../../components/Problem";
import { Sheet } from "../../components/Sheet";
import { useMe } from "../../session/me";
import { useAction } from "../useOperate";
import { TextRow, words } from "./rows";

/** Adds and removes the members of a role, one step at a time. */
export function MembersSheet({ role, onClose }: { role: Party; onClose: () => void }) {
  const { parties } = useMe();
  const [name, setName] = useState("");
  const members = role.members ?? [];
  const others = parties.filter((party) => party.kind !== "role" && !members.includes(party.name)).map((party) => party.name);
  const action = useAction({
    run: (project: string, part: { members?: string[]; without_members?: string[] }) => api.addParty(project, { name: role.name, ...part }),
    done: (_, { members: added, without_members: removed }) =>
      added ? `Added ${added.join(", ")} to ${role.name}.` : `Removed ${removed?.join(", ")} from ${role.name}.`,
    onDone: () => setName(""),
  });
  return (
    <Sheet title={`Members of ${role.name}`} onClose={onClose}>
      {action.error && (
        <div role="alert">
          <ProblemNote error={action.error} />
        </div>
      )}
      <ul className="members">
        {members.map((member) => (
          <li key={member}>
            <span className="pty">
              <Icon name={partyIcon(member, parties)} />
              {member}
            </span>
            <button type="button" className="btn sm no end" disabled={action.isPending} onClick={() => action.mutate({ without_members: [member] })}>
              Remove <span className="sr-only">{member}</span>
            </button>
          </li>
        ))}
        {members.length === 0 && <li className="sec">No member. Work that is offered to the role moves on at once.</li>}
      </ul>
      <form
        className="dform"
        onSubmit={(event) => {
          event.preventDefault();
          action.mutate({ members: words(name) });
        }}
      >
        <TextRow label="New member" value={name} isRequired offers={others} onChange={setName} />
        <p className="sec">Members may claim what is offered to the role, and people in it decide what a rule leaves to the role.</p>
        <div className="foot">
          <button type="submit" className="btn pri" disabled={action.isPending}>
            {name ? `Add ${words(name).join(", ")}` : "Add"}
          </button>
          <button type="button" className="btn ghost" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Sheet>
  );
}
