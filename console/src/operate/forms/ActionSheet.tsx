import type { UseMutationResult } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { submitOnEnter } from "../../browser/keys";
import { ProblemNote } from "../../components/Problem";
import { Sheet } from "../../components/Sheet";

interface ActionSheetProps<Input, Output> {
  title: string;
  /** The words of the button that sends. */
  verb: string;
  isNegative?: boolean;
  consequence: ReactNode;
  action: UseMutationResult<Output, Error, Input>;
  input: Input;
  onClose: () => void;
  children?: ReactNode;
}

/** The form of an operation: what it needs, what it does, and why it was refused. */
export function ActionSheet<Input, Output>({ title, verb, isNegative = false, consequence, action, input, onClose, children }: ActionSheetProps<Input, Output>) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    action.mutate(input);
  };
  return (
    <Sheet title={title} onClose={onClose}>
      <form className="dform" onSubmit={send} onKeyDown={submitOnEnter}>
        {action.error && (
          <div role="alert">
            <ProblemNote error={action.error} />
          </div>
        )}
        {children}
        <p className="sec">{consequence}</p>
        <div className="foot">
          <button type="submit" className={isNegative ? "btn no" : "btn pri"} disabled={action.isPending}>
            {verb}
          </button>
          <button type="button" className="btn ghost" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Sheet>
  );
}
