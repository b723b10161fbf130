// A long inbox: selecting, deciding together, snoozing and saved views.
import { expect, test } from "vitest";
import { release } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const world = useWorld();

test("several holds are accepted together; high risk and gates are left out, and a changed one is refused", async () => {
  const ids = ["First of three", "Second of three", "Third of three"].map((goal) => world.held(goal));
  const risky = world.held("Risky one", { trigger: { kind: "critical_action" } });
  const gated = world.exchange.submit({ ...release(), task_id: "bulk-gate" });
  const { page, context, problems } = await world.person("ana");
  const select = (goal: string) => page.getByLabel(`Select ${goal}`).check();
  for (const goal of ["First of three", "Second of three", "Third of three", "Risky one"]) await select(goal);
  await page.getByLabel(/^Select Release discharge/).check();
  await page.getByText(/^2 left out/).waitFor();
  // One of them gets another revision after it was shown.
  const packet = JSON.parse(world.exchange.cli("ana", "show", ids[1] as string, "--json")).packet;
  world.exchange.cliWith("planner", { ...packet, goal: "Second of three, changed" }, "revise", ids[1] as string);
  await page.getByRole("button", { name: "Accept 3 handoffs" }).click();
  const sheet = page.locator("dialog");
  await sheet.getByRole("button", { name: "Accept 3 handoffs" }).click();
  await sheet.getByText("Accepted, offered to codex-2.").nth(1).waitFor();
  await sheet.getByText(/Changed since it was shown/).waitFor();
  await sheet.getByRole("button", { name: "Close", exact: true }).last().click();
  expect(ids.map((id) => world.stateOf(id))).toEqual(["offered", "held", "offered"]);
  expect([world.stateOf(risky), world.stateOf(gated)]).toEqual(["held", "held"]);
  expect(problems).toEqual([]);
  await context.close();
});

test("the keyboard selects and snoozes, and a snoozed row is in its own view until it is brought back", async () => {
  world.held("Sleeps for an hour");
  const { page, context, problems } = await world.person("ben");
  const row = page.locator(".item", { hasText: "Sleeps for an hour" });
  await page.getByRole("link", { name: "Sleeps for an hour" }).click();
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("h");
  await page.getByRole("button", { name: "1 hour" }).click();
  await expect.poll(() => row.count()).toBe(0);
  await page.reload();
  await page.getByRole("link", { name: /^Snoozed/ }).click();
  await row.waitFor();
  await page.keyboard.press("h");
  await page.getByText("1 back in your inbox.").waitFor();
  await page.getByRole("link", { name: /^Mine/ }).click();
  await row.waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a snoozed row comes back when its time or its deadline is near", async () => {
  world.held("Back at its time");
  const { page, context } = await world.person("ben");
  await page.clock.install();
  await page.reload();
  const row = page.locator(".item", { hasText: "Back at its time" });
  await page.getByLabel("Select Back at its time").check();
  await page.getByRole("button", { name: /^Snooze 1/ }).click();
  await page.getByRole("button", { name: "1 hour" }).click();
  await expect.poll(() => row.count()).toBe(0);
  await page.clock.fastForward("01:01:00");
  await expect.poll(() => row.count()).toBe(1);
  await context.close();
});

test("high risk has no choice past its deadline", async () => {
  const soon = new Date(Date.now() + 2 * 3_600_000).toISOString().replace(/\.\d+Z/, "Z");
  world.held("Risky and due in two hours", { trigger: { kind: "critical_action" }, expires_at: soon });
  const { page, context } = await world.person("ben");
  await page.getByLabel("Select Risky and due in two hours").check();
  await page.getByRole("button", { name: /^Snooze 1/ }).click();
  await page.getByRole("button", { name: "1 hour" }).waitFor();
  expect(await page.getByRole("button", { name: /4 hours|tomorrow|Monday/ }).count()).toBe(0);
  await context.close();
});

test("a view is saved, opened and removed", async () => {
  const { page, context, problems } = await world.person("ana");
  await page.goto("/ui/p/default/inbox?risk=high&sort=oldest");
  await page.locator(".item").first().waitFor();
  await page.keyboard.press("v");
  await page.getByLabel("Name of this view").fill("Risky, oldest");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Risky, oldest", exact: true }).waitFor();
  await page.goto("/ui/p/default/inbox");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "Risky, oldest" }).click();
  await page.waitForURL(/risk=high/);
  await page.keyboard.press("v");
  await page.getByRole("button", { name: "Remove the view Risky, oldest" }).click();
  await page.getByText("No saved view yet.").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
