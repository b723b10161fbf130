import type { InboxItem } from "../../api/types";
import { useNow } from "../../browser/now";
import { Sheet } from "../../components/Sheet";
import { type Choice, choicesFor } from "./snooze";

interface SnoozeSheetProps {
  items: InboxItem[];
  onChoose: (choice: Choice) => void;
  onClose: () => void;
}

/** Chooses how long rows are hidden. What would hide high risk past its deadline is absent. */
export function SnoozeSheet({ items, onChoose, onClose }: SnoozeSheetProps) {
  const now = useNow();
  const choices = choicesFor(items, now);
  return (
    <Sheet title={items.length === 1 ? "Snooze" : `Snooze ${items.length} items`} onClose={onClose}>
      {choices.length === 0 ? (
        <p className="sec">A deadline is near. It stays in your inbox until it is decided.</p>
      ) : (
        <div className="checks">
          {choices.map((choice) => (
            <button key={choice.label} type="button" className="btn" onClick={() => onChoose(choice)}>
              {choice.label}
            </button>
          ))}
        </div>
      )}
      <p className="mut">Only you see less, in this browser. It comes back at its time, when it changes, and always 15 minutes before its deadline.</p>
    </Sheet>
  );
}
