import { useState } from "react";
import { useMe } from "../../session/me";
import { type Bulk, bulkLabel, bulksOf, leftOut } from "./bulk";
import { BulkSheet } from "./BulkSheet";
import type { ListItem } from "../list/item";

interface SelectionBarProps {
  selected: ListItem[];
  isSnoozedView: boolean;
  onSnooze: () => void;
  onWake: () => void;
  onClear: (ids?: string[]) => void;
}

/** What can be done with the rows that are selected. Each verb names its count. */
export function SelectionBar({ selected, isSnoozedView, onSnooze, onWake, onClear }: SelectionBarProps) {
  const { viewer } = useMe();
  const [bulk, setBulk] = useState<Bulk>();
  if (selected.length === 0 && !bulk) return null;
  const remark = isSnoozedView ? undefined : leftOut(selected, viewer.name);
  return (
    <section className="selbar" aria-label="Selection">
      <div className="row">
        <b>{selected.length} selected</b>
        {!isSnoozedView &&
          bulksOf(selected, viewer.name).map((one) => (
            <button key={one.verb} type="button" className="btn sm pri" onClick={() => setBulk(one)}>
              {bulkLabel(one)}
            </button>
          ))}
        <button type="button" className="btn sm" onClick={isSnoozedView ? onWake : onSnooze}>
          {isSnoozedView ? `Bring ${selected.length} back` : `Snooze ${selected.length}…`} <kbd>H</kbd>
        </button>
        <button type="button" className="btn sm ghost end" onClick={() => onClear()}>
          Clear <kbd>Esc</kbd>
        </button>
      </div>
      {remark && <p className="mut">{remark}</p>}
      {bulk && (
        <BulkSheet
          bulk={bulk}
          onClose={(done) => {
            setBulk(undefined);
            onClear(done);
          }}
        />
      )}
    </section>
  );
}
