// A mailed code: the exchange sends it, its page shows one handoff, and decides when a button is pressed.
import { expect, test } from "vitest";
import { linksOf } from "./support/mailed";
import { useWorld } from "./support/world";

const PHONE = { viewport: { width: 390, height: 844 } };
const world = useWorld(() => ({}), { mailsCodes: true });

/** Submits a handoff and returns the links of the mail about it. */
async function mailed(goal: string) {
  const id = world.held(goal);
  const mail = await world.mailbox.about(goal);
  expect(mail.to).toBe("ana@example.org");
  return { id, ...linksOf(mail.text) };
}

const decisions = (id: string) => world.exchange.cli("ana", "decisions", "export").split("\n").filter((line) => line.includes(id));

test("a scanner that follows every link by GET and HEAD redeems nothing, and one tap on a phone accepts once", async () => {
  const { id, links, code } = await mailed("Accept me by mail");
  expect(links).toHaveLength(2);
  const operations = ["view", "redeem"].map((name) => `/v1/mail-codes/${name}?code=${code}&decision=accept`);
  for (const path of [...links, ...operations]) {
    for (const method of ["GET", "HEAD"]) await fetch(new URL(path, world.url), { method });
  }
  expect(world.stateOf(id)).toBe("held");
  expect(decisions(id)).toEqual([]);

  const { page, context, problems } = await world.stranger(PHONE);
  await page.goto(`/ui/m/#${code}`);
  await page.locator(".hp-goal", { hasText: "Accept me by mail" }).waitFor();
  await page.getByText("Offered to codex-2 at once.").waitFor();
  expect(await page.getByRole("button").allTextContents()).toEqual(["Accept", "Reject…"]);
  expect(world.stateOf(id)).toBe("held");
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByText("Accepted. It is offered to codex-2. The code is used up").waitFor();
  expect(await page.getByRole("button").count()).toBe(0);
  expect(await context.cookies()).toEqual([]);
  expect(world.stateOf(id)).toBe("offered");
  expect(decisions(id)).toHaveLength(1);
  expect(JSON.parse(decisions(id)[0] ?? "{}")).toMatchObject({ decision: "accept", person: "ana", revision: 1 });
  expect(world.exchange.cli("ana", "log", "show").split("\n").filter((line) => line.includes('"auth":"mail"'))).toHaveLength(1);

  await page.reload();
  await page.getByRole("heading", { name: "This code cannot be used" }).waitFor();
  const again = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code, decision: "accept" }) };
  expect((await fetch(new URL("/v1/mail-codes/redeem", world.url), again)).status).toBe(404);
  expect(decisions(id)).toHaveLength(1);
  expect(problems.filter((text) => !text.includes("404"))).toEqual([]);
  await context.close();
});

test("rejecting asks for a reason", async () => {
  const { id, code } = await mailed("Reject me by mail");
  const { page, context } = await world.stranger(PHONE);
  await page.goto(`/ui/m/#${code}`);
  await page.getByRole("button", { name: "Reject…" }).click();
  await page.getByLabel(/Reason/).fill("Not this week");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByText("Rejected.").waitFor();
  expect(world.stateOf(id)).toBe("rejected");
  expect(decisions(id)[0]).toContain("Not this week");
  await context.close();
});

test("a code is for the revision that was mailed, and the other link of the mail leads to the card", async () => {
  const { id, code, links } = await mailed("Decided elsewhere meanwhile");
  world.exchange.decide("ben", "reject", id, "--message", "Too late");
  const { page, context } = await world.person("ana");
  await page.goto(`/ui/m/#${code}`);
  await page.getByText("There is nothing left to decide with this code.").waitFor();
  expect(await page.getByRole("button").count()).toBe(0);
  await page.goto(links.find((link) => !link.includes("/ui/m/")) ?? "");
  await page.locator(".note", { hasText: "Rejected by ben" }).waitFor();
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
