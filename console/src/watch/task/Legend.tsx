import { Icon } from "../../components/Icon";

const BARS = [
  ["k-c", "claim under a lease"],
  ["k-w", "offered, waits"],
  ["k-h", "held for a person"],
  ["k-j", "being judged"],
] as const;

/** What the marks of the timeline mean. */
export function Legend() {
  return (
    <div className="legend relay-x">
      {BARS.map(([name, words]) => (
        <span key={name}>
          <svg viewBox="0 0 22 12" aria-hidden="true">
            <rect className={name} x=".5" y="1.5" width="21" height="9" rx="2" />
          </svg>
          {words}
        </span>
      ))}
      <span>
        <svg viewBox="0 0 22 12" aria-hidden="true">
          <circle className="k-d" cx="11" cy="6" r="4" />
        </svg>
        checkpoint
      </span>
      <span>
        <svg className="sx" aria-hidden="true">
          <use href="#i-to" />
        </svg>
        hand-over
      </span>
      <span>
        <Icon name="x" />
        expired, refused, failed
      </span>
      <span className="end mut">Wider where more happens.</span>
    </div>
  );
}
