import { announce } from "../browser/announce";
import { Icon } from "./Icon";

/** A text with a button that copies it. */
export function Copyable({ text, label = "Copy command", isSecret = false }: { text: string; label?: string; isSecret?: boolean }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce(isSecret ? "Copied." : `Copied: ${text}`);
    } catch {
      announce("This browser does not let the page copy. Select the text instead.");
    }
  };
  return (
    <div className="cmd">
      <code tabIndex={0} role="group" aria-label={text}>
        {text}
      </code>
      <button type="button" className="ib" aria-label={`${label}: ${isSecret ? "secret" : text}`} title={label} onClick={() => void copy()}>
        <Icon name="copy" />
      </button>
    </div>
  );
}
