import { Sheet } from "../components/Sheet";
import { useSettings } from "../browser/settings";

const GROUPS: { title: string; keys: [string[], string][] }[] = [
  {
    title: "Everywhere",
    keys: [
      [["?"], "these keys"],
      [["/"], "search"],
      [["G", "I"], "inbox"],
      [["G", "S"], "live"],
      [["G", "V"], "overview"],
      [["G", "T"], "tasks"],
      [["G", "O"], "operate"],
      [["G", "D"], "dead letters"],
      [["G", ","], "settings"],
    ],
  },
  {
    title: "List",
    keys: [
      [["J", "K"], "next, previous"],
      [["Enter"], "open as a page"],
      [["L"], "show new rows"],
      [["X"], "select"],
      [["H"], "snooze, or bring back"],
      [["F"], "filter"],
      [["V"], "saved views"],
      [["Esc"], "clear the selection"],
    ],
  },
  {
    title: "Live",
    keys: [
      [["P"], "pause, resume"],
      [["L"], "jump to live"],
    ],
  },
  {
    title: "Task",
    keys: [
      [["T"], "timeline"],
      [["B"], "graph"],
      [["1–5"], "the views in order"],
      [["A"], "judge the return"],
      [["U"], "back to the tasks"],
    ],
  },
  {
    title: "Card",
    keys: [
      [["A"], "accept, claim, pass, answer or return"],
      [["S"], "sign off"],
      [["E"], "edit"],
      [["R"], "reject, decline, fail or release"],
      [["W"], "reroute"],
      [["I"], "intercept"],
      [["Q"], "ask the sender"],
      [["⇧C"], "cancel the handoff"],
      [["X"], "acknowledge a failure"],
      [["Y"], "copy the permalink"],
      [["."], "show the JSON"],
      [["U"], "back to the inbox"],
      [["Ctrl", "Enter"], "send a form"],
      [["Esc"], "back out of a form"],
    ],
  },
];

export function KeysSheet({ onClose }: { onClose: () => void }) {
  const { singleKeys } = useSettings();
  return (
    <Sheet title="Keyboard shortcuts" onClose={onClose}>
      {!singleKeys && <p className="sec">Single-key shortcuts are switched off in the settings.</p>}
      <div className="keygrid">
        {GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <ul>
              {group.keys.map(([keys, does]) => (
                <li key={does}>
                  <span>{does}</span>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <p className="mut">A decision is sent when it is pressed; there is no undo. Keys are ignored in fields.</p>
    </Sheet>
  );
}
