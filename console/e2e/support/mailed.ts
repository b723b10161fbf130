// A mailed code in front of the exchange: the page is tested without sending mail.
import type { Page } from "playwright-core";
import type { MailCode } from "../../src/api/types";

/** Answers for the code of a mail about a handoff, and records what is redeemed. */
export async function mailed(page: Page, handoff: Record<string, unknown>, redeemed: unknown[] = []): Promise<void> {
  const { id, task, from, to, revision, risk, state, goal, causes } = handoff;
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const code = { project: "default", person: "ana", handoff: id, task, from, to, revision, risk, state, open: true, goal, causes, expires_at };
  await page.route("**/v1/mail-codes/view", (route) => route.fulfill({ json: code satisfies { [name in keyof MailCode]?: unknown } }));
  await page.route("**/v1/mail-codes/redeem", (route) => {
    const request = route.request().postDataJSON();
    redeemed.push(request);
    return route.fulfill({ json: { ...code, open: false, state: request.decision === "accept" ? "offered" : "rejected" } });
  });
}
