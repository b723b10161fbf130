// A mailed code in front of the exchange: the page is tested without sending mail.
import type { Page } from "playwright-core";

/** Answers for the code of a mail about a handoff, and records what is redeemed. */
export async function mailed(page: Page, details: object, redeemed: unknown[] = []): Promise<void> {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  await page.route("**/v1/mail-codes/view", (route) =>
    route.fulfill({ json: { ...details, project: "default", person: "ana", expires_at: expires } }),
  );
  await page.route("**/v1/mail-codes/redeem", (route) => {
    redeemed.push(route.request().postDataJSON());
    return route.fulfill({ json: {} });
  });
}
