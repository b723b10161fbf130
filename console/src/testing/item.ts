import type { InboxItem } from "../api/types";

/** Returns a held handoff for tests, with some of its members replaced. */
export const item = (id: string, more: Partial<InboxItem> = {}): InboxItem => ({
  id,
  task: id,
  state: "held",
  from: "planner",
  to: "coder",
  revision: 1,
  digest: "sha256:00",
  risk: "low",
  attempt: 1,
  submitted_at: "2026-11-16T12:00:00Z",
  waits: true,
  ...more,
});
