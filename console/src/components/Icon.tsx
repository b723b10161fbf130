// The icons, drawn once for the page and used by name.

export type IconName =
  | "action"
  | "agent"
  | "approx"
  | "back"
  | "check"
  | "claimed"
  | "clip"
  | "clock"
  | "contract"
  | "copy"
  | "dead"
  | "diff"
  | "done"
  | "down"
  | "file"
  | "held"
  | "high"
  | "inbox"
  | "low"
  | "medium"
  | "offered"
  | "q"
  | "question"
  | "rejected"
  | "returned"
  | "role"
  | "rung"
  | "search"
  | "sign"
  | "theme"
  | "to"
  | "toh"
  | "up"
  | "x"
  | "person"
  | "warn"
  | "gear"
  | "log"
  | "plus"
  | "halt"
  | "hook"
  | "key"
  | "replay"
  | "live"
  | "tasks"
  | "chart"
  | "shield"
  | "pause"
  | "play";

/** Defines every icon as a symbol. */
export function Sprite() {
  return (
    <svg className="absolute size-0" aria-hidden="true">
      <symbol id="i-action" viewBox="0 0 16 16">
        <path d="M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.5h3"/>
      </symbol>
      <symbol id="i-agent" viewBox="0 0 16 16">
        <path d="M3 5h10v8H3zM8 5V2.5M6 8.5v1M10 8.5v1"/>
      </symbol>
      <symbol id="i-approx" viewBox="0 0 16 16">
        <path d="M2.5 9.5C4 6 6 6.5 8 8s4 2 5.5-1.5"/>
      </symbol>
      <symbol id="i-back" viewBox="0 0 16 16">
        <path d="M13 8H3M7 4 3 8l4 4"/>
      </symbol>
      <symbol id="i-check" viewBox="0 0 16 16">
        <path d="m3 8.5 3.2 3.2L13 4.5"/>
      </symbol>
      <symbol id="i-claimed" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6"/><circle cx="8" cy="8" r="2.2" fill="currentColor" stroke="none"/>
      </symbol>
      <symbol id="i-clip" viewBox="0 0 16 16">
        <path d="m13 7.5-5.3 5.3a3 3 0 0 1-4.3-4.3L9 3a2 2 0 0 1 2.8 2.8l-5.5 5.5"/>
      </symbol>
      <symbol id="i-clock" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6"/><path d="M8 4.8V8l2.2 1.6"/>
      </symbol>
      <symbol id="i-contract" viewBox="0 0 16 16">
        <path d="M4 1.8h5.5L12.5 5v9.2H4zM6.2 7.5h4M6.2 10.5h4"/>
      </symbol>
      <symbol id="i-copy" viewBox="0 0 16 16">
        <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3"/>
      </symbol>
      <symbol id="i-dead" viewBox="0 0 16 16">
        <path d="M2 4h12v8.5H2zM2 4l6 4.5L14 4"/><path d="m10 10 3.5 3.5M13.5 10 10 13.5" strokeWidth="2"/>
      </symbol>
      <symbol id="i-diff" viewBox="0 0 16 16">
        <path d="M8 2.5v6M5 5.5h6M5 12.5h6"/>
      </symbol>
      <symbol id="i-done" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6"/><path d="m5.3 8.2 1.9 1.9 3.6-4"/>
      </symbol>
      <symbol id="i-down" viewBox="0 0 16 16">
        <path d="m4.5 6.5 3.5 3.5 3.5-3.5"/>
      </symbol>
      <symbol id="i-file" viewBox="0 0 16 16">
        <path d="M4 1.8h5.5L12.5 5v9.2H4zM9.2 2v3.2h3.2"/>
      </symbol>
      <symbol id="i-held" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6"/><path d="M6.5 5.8v4.4M9.5 5.8v4.4"/>
      </symbol>
      <symbol id="i-high" viewBox="0 0 16 16">
        <path d="M8 2 14.5 13.5h-13z" fill="currentColor"/><path d="M8 6.5v3M8 11.6v.1" stroke="var(--surface)"/>
      </symbol>
      <symbol id="i-inbox" viewBox="0 0 16 16">
        <path d="M2 9.5 4 3h8l2 6.5v3.5H2zM2 9.5h3.5L6.5 11h3l1-1.5H14"/>
      </symbol>
      <symbol id="i-low" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="5"/>
      </symbol>
      <symbol id="i-medium" viewBox="0 0 16 16">
        <path d="M8 1.8 14.2 8 8 14.2 1.8 8z"/><path d="M8 1.8 14.2 8 8 14.2z" fill="currentColor"/>
      </symbol>
      <symbol id="i-offered" viewBox="0 0 16 16">
        <path d="M2 8h8M7 5l3 3-3 3M10.5 2.5h3v11h-3"/>
      </symbol>
      <symbol id="i-q" viewBox="0 0 16 16">
        <path d="M5.5 5.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.5M8 12v.1"/>
      </symbol>
      <symbol id="i-question" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6"/><path d="M6.3 6.3a1.8 1.8 0 1 1 2.3 1.9c-.4.2-.6.5-.6.9M8 11.2v.1"/>
      </symbol>
      <symbol id="i-rejected" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6"/><path d="m6 6 4 4M10 6l-4 4"/>
      </symbol>
      <symbol id="i-returned" viewBox="0 0 16 16">
        <path d="M6 3 2.5 6.5 6 10M2.5 6.5h7a4 4 0 0 1 0 8H7" transform="translate(0 -1)"/>
      </symbol>
      <symbol id="i-role" viewBox="0 0 16 16">
        <circle cx="6" cy="5.5" r="2.3"/><path d="M1.8 13.2c.4-2.6 2-3.9 4.2-3.9s3.8 1.3 4.2 3.9M10.5 3.4a2.3 2.3 0 0 1 0 4.2M12 9.7c1.3.6 2 1.8 2.2 3.5"/>
      </symbol>
      <symbol id="i-rung" viewBox="0 0 16 16">
        <path d="M2 13h3.5V9.5H9V6h3.5V2.5M10.5 4.5l2-2 2 2"/>
      </symbol>
      <symbol id="i-search" viewBox="0 0 16 16">
        <circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3 3"/>
      </symbol>
      <symbol id="i-sign" viewBox="0 0 16 16">
        <path d="M3 13.5h10M4 10.5l.6-2.4L10 2.7l1.9 1.9-5.4 5.4z"/>
      </symbol>
      <symbol id="i-theme" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="6"/><path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/>
      </symbol>
      <symbol id="i-to" viewBox="0 0 20 12">
        <path d="M0 11 5 1h3L3 11zM6 11l5-10h3L9 11z"/><path fill="none" stroke="currentColor" strokeWidth="1.6" d="m15.5 2.5 3.5 3.5-3.5 3.5"/>
      </symbol>
      <symbol id="i-toh" viewBox="0 0 20 12">
        <path d="M0 11 5 1h3L3 11z"/><path fill="none" stroke="currentColor" d="M7 10.5 11.7 1.5h1.5L8.5 10.5z"/><path fill="none" stroke="currentColor" strokeWidth="1.6" d="m15.5 2.5 3.5 3.5-3.5 3.5"/>
      </symbol>
      <symbol id="i-up" viewBox="0 0 16 16">
        <path d="M8 13V3.5M4 7.5l4-4 4 4"/>
      </symbol>
      <symbol id="i-x" viewBox="0 0 16 16">
        <path d="m4 4 8 8M12 4l-8 8"/>
      </symbol>
      <symbol id="i-person" viewBox="0 0 16 16">
        <circle cx="8" cy="5" r="2.6"/><path d="M2.8 13.6c.5-3 2.4-4.6 5.2-4.6s4.7 1.6 5.2 4.6"/>
      </symbol>
      <symbol id="i-warn" viewBox="0 0 16 16">
        <path d="M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1"/>
      </symbol>
      <symbol id="i-gear" viewBox="0 0 16 16">
        <circle cx="8" cy="8" r="2.2"/><path d="M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6l1.4 1.4M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4"/>
      </symbol>
      <symbol id="i-log" viewBox="0 0 16 16">
        <path d="M3 3.5h10M3 8h10M3 12.5h6"/>
      </symbol>
      <symbol id="i-live" viewBox="0 0 16 16">
        <path d="M1.5 8.5h3l2-5 3 9 2-4h3"/>
      </symbol>
      <symbol id="i-tasks" viewBox="0 0 16 16">
        <path d="M2 4h6M6 8h6M9 12h5"/>
      </symbol>
      <symbol id="i-chart" viewBox="0 0 16 16">
        <path d="M2.5 13.5h11M4 11V7.5M8 11V3M12 11V5.5"/>
      </symbol>
      <symbol id="i-shield" viewBox="0 0 16 16">
        <path d="M8 1.8 13.2 4v4c0 3-2 5.2-5.2 6.2C4.8 13.2 2.8 11 2.8 8V4z"/><path d="m5.7 8 1.7 1.7 3-3.3"/>
      </symbol>
      <symbol id="i-pause" viewBox="0 0 16 16">
        <path d="M5.5 3.5v9M10.5 3.5v9"/>
      </symbol>
      <symbol id="i-play" viewBox="0 0 16 16">
        <path d="M5 3.2 12.5 8 5 12.8z"/>
      </symbol>
      <symbol id="i-plus" viewBox="0 0 16 16">
        <path d="M8 3v10M3 8h10"/>
      </symbol>
      <symbol id="i-halt" viewBox="0 0 16 16">
        <path d="M5.5 1.8h5L14.2 5.5v5l-3.7 3.7h-5l-3.7-3.7v-5z"/><path d="M5.5 8h5"/>
      </symbol>
      <symbol id="i-hook" viewBox="0 0 16 16">
        <path d="M4 6a4 4 0 0 1 8 0v3l1.5 2.5h-11L4 9zM6.5 13.8h3"/>
      </symbol>
      <symbol id="i-key" viewBox="0 0 16 16">
        <circle cx="5.2" cy="8" r="3"/><path d="M8.2 8H14v2.5M11.5 8v2"/>
      </symbol>
      <symbol id="i-replay" viewBox="0 0 16 16">
        <path d="M3 8a5 5 0 1 0 1.5-3.6L3 6M3 2.8V6h3.2"/>
      </symbol>
    </svg>
  );
}

/** Shows an icon. The word beside it carries the name. */
export function Icon({ name, className = "i" }: { name: IconName; className?: string }) {
  return (
    <svg className={className} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}
