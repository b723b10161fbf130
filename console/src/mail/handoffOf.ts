import type { Handoff, MailCode } from "../api/types";

/** Returns the handoff of a mailed code with what is known of it. */
export function handoffOf(code: MailCode): Handoff {
  const { task, state, from, to, revision, risk, causes, action } = code;
  return {
    id: code.handoff,
    task,
    state,
    from,
    to,
    revision,
    risk,
    digest: "",
    attempt: 1,
    submitted_at: code.expires_at,
    ...(causes ? { causes } : {}),
    ...(action ? { action: { id: "", digest: "" }, holder: to } : {}),
  };
}
