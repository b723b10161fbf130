import { useState } from "react";
import * as api from "../api/operate";
import { Icon } from "../components/Icon";
import { Note } from "../components/parts";
import { useMe } from "../session/me";
import { ActionSheet } from "./forms/ActionSheet";
import { TextRow } from "./forms/rows";
import { useAction, useIsOperator, useProject } from "./useOperate";

/** Halts the project, or lifts the halt. */
export function HaltControl() {
  const { data } = useProject();
  const [isOpen, setOpen] = useState(false);
  if (!data) return null;
  return (
    <>
      <button type="button" className="btn sm no" onClick={() => setOpen(true)}>
        <Icon name="halt" />
        {data.halted ? "Lift the halt…" : "Halt…"}
      </button>
      {isOpen && <HaltSheet isHalted={data.halted} onClose={() => setOpen(false)} />}
    </>
  );
}

function HaltSheet({ isHalted, onClose }: { isHalted: boolean; onClose: () => void }) {
  const { project } = useMe();
  const [reason, setReason] = useState("");
  const action = useAction({
    run: (name: string, text: string) => (isHalted ? api.lift(name, text) : api.halt(name, text)),
    done: () => (isHalted ? `Lifted the halt of ${project}.` : `Halted ${project}.`),
    onDone: onClose,
  });
  return (
    <ActionSheet
      title={isHalted ? `Lift the halt of ${project}` : `Halt ${project}`}
      verb={isHalted ? "Lift the halt" : `Halt ${project}`}
      isNegative={!isHalted}
      action={action}
      input={reason}
      consequence={
        isHalted
          ? "Claimed work is offered again. Offers and holds have as much time left as when the halt began."
          : "Every claim ends at once, and no work can be claimed until an operator lifts the halt. Nothing is lost: checkpoints are kept."
      }
      onClose={onClose}
    >
      <TextRow label="Reason" value={reason} onChange={setReason} isRequired={isHalted} isLong />
    </ActionSheet>
  );
}

/** Says on every page of operators that the project is halted. */
export function HaltedNote() {
  const { data } = useProject();
  const isOperator = useIsOperator();
  if (!data?.halted) return null;
  return (
    <Note tone="refused" icon="halt">
      <b>The project is halted.</b> No work can be claimed. {isOperator ? "Lift the halt when the reason is gone." : "An operator lifts the halt."}
    </Note>
  );
}
