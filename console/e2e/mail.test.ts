// The page of a mailed code: it shows one handoff, and decides when a button is pressed.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { mailed } from "./support/mailed";
import { useWorld } from "./support/world";

const world = useWorld();

/** Opens the link of a mail and records what the page redeems. */
async function openLink(page: Page, id: string) {
  const redeemed: unknown[] = [];
  await mailed(page, world.show(id).handoff, redeemed);
  await page.goto("/ui/m#code-of-the-mail");
  await page.locator(".man-f").waitFor();
  return redeemed;
}

test("opening the link shows the handoff and redeems nothing, whoever follows it", async () => {
  const id = world.held("Decide me by mail");
  const scanner = await fetch(`${world.url}/ui/m`);
  expect(scanner.status).toBe(200);
  const { page, context, problems } = await world.stranger({ viewport: { width: 390, height: 844 } });
  const redeemed = await openLink(page, id);
  await page.locator(".goal", { hasText: "Decide me by mail" }).waitFor();
  await page.getByText("Offered to codex-2 at once.").waitFor();
  expect(redeemed).toEqual([]);
  expect(await page.getByRole("button").allTextContents()).toEqual(["Accept", "Reject…"]);
  expect(problems).toEqual([]);
  await context.close();
});

test("accepting redeems the code once", async () => {
  const { page, context } = await world.stranger();
  const redeemed = await openLink(page, world.held("Accept me by mail"));
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByText("Accepted. It is offered to codex-2. The code is used up").waitFor();
  expect(redeemed).toEqual([{ code: "code-of-the-mail", decision: "accept" }]);
  expect(await page.getByRole("button").count()).toBe(0);
  await context.close();
});

test("rejecting asks for a reason", async () => {
  const { page, context } = await world.stranger();
  const redeemed = await openLink(page, world.held("Reject me by mail"));
  await page.getByRole("button", { name: "Reject…" }).click();
  await page.getByLabel(/Reason/).fill("Not this week");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByText("Rejected.").waitFor();
  expect(redeemed).toEqual([{ code: "code-of-the-mail", decision: "reject", reason: "Not this week" }]);
  await context.close();
});

test("a code that cannot be used says so and leads to the inbox", async () => {
  const { page, context } = await world.stranger();
  await page.goto("/ui/m");
  await page.getByText("The address has no code.").waitFor();
  await page.goto("about:blank");
  await page.goto("/ui/m#an-old-code");
  await page.getByRole("heading", { name: "This code cannot be used" }).waitFor();
  await page.getByRole("link", { name: "Open the inbox" }).click();
  await page.waitForURL("**/sign-in");
  await context.close();
});
