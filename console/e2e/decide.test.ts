// Acceptances and rejections against a real server: by mouse, by keyboard, in a race, and of what has changed.
import { expect, test } from "vitest";
import { duration, shortest } from "./support/shortest";
import { base } from "./support/stories.mjs";
import { openCard, useWorld } from "./support/world";

const world = useWorld();

test("a held handoff is seen and accepted by mouse, with what was shown", async () => {
  const id = world.held("Accept me by mouse");
  const { page, context, problems } = await world.person("ana");
  await page.getByRole("link", { name: "Accept me by mouse" }).click();
  await page.getByText("Offered to codex-2 at once.").waitFor();
  await page.waitForTimeout(1200);
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByText(/^Accepted: task-\d+, offered to codex-2/).waitFor();
  expect(world.stateOf(id)).toBe("offered");
  const decisions = world.exchange.cli("ana", "decisions", "export").trim().split("\n");
  const last = JSON.parse(decisions.at(-1) ?? "{}");
  expect(last).toMatchObject({ handoff: id, decision: "accept", person: "ana", revision: 1 });
  expect(last.seconds).toBeGreaterThanOrEqual(1);
  expect(problems).toEqual([]);
  await context.close();
});

test("by keyboard alone: find, accept, reject with a reason", async () => {
  const [first, second] = [world.held("Keyboard accepts this"), world.held("Keyboard rejects this")];
  const { page, context } = await world.person("ana");
  await page.locator(".item.current").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("keyboard");
  await page.keyboard.press("Tab");
  await page.locator(".hp-goal", { hasText: "Keyboard accepts this" }).waitFor();
  await page.keyboard.press("a");
  await page.getByText(/^Accepted: /).waitFor();
  await page.locator(".hp-goal", { hasText: "Keyboard rejects this" }).waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("Wait for Thursday");
  await page.keyboard.press("Control+Enter");
  await page.getByText(/^Rejected: /).waitFor();
  expect(world.stateOf(first)).toBe("offered");
  expect(world.stateOf(second)).toBe("rejected");
  await context.close();
});

test("j, k and enter move through the list, and a dialog lists the keys", async () => {
  for (const goal of ["First in the list", "Second in the list", "Third in the list"]) world.held(goal);
  const { page, context } = await world.person("ana");
  await page.locator(".item.current").waitFor();
  const current = () => page.locator(".item.current").getAttribute("data-id");
  const first = await current();
  await page.keyboard.press("j");
  await expect.poll(current).not.toBe(first);
  const second = await current();
  await page.keyboard.press("k");
  await expect.poll(current).toBe(first);
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await expect.poll(current).toBe(second);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/h/${second}`);
  await page.keyboard.press("u");
  await page.waitForURL("**/inbox*");
  await context.close();
});

test("single keys can be switched off", async () => {
  const id = world.held("Keys are off");
  const { page, context } = await world.person("ana");
  await page.goto("/ui/p/default/settings");
  await page.getByLabel(/Single-key shortcuts/).uncheck();
  await openCard(page, id);
  await page.keyboard.press("a");
  await page.waitForTimeout(500);
  expect(world.stateOf(id)).toBe("held");
  await context.close();
});

test("two people race: one wins, the other is told and keeps the text", async () => {
  const id = world.held("Race for this");
  const [one, two] = [await world.person("ana"), await world.person("ben")];
  await openCard(one.page, id);
  await openCard(two.page, id);
  await two.page.keyboard.press("r");
  await two.page.getByLabel(/Reason/).fill("Too early for me");
  await one.page.getByRole("button", { name: /^Accept/ }).click();
  await two.page.getByText("Reject is no longer possible.").waitFor();
  await two.page.getByText("ana decided meanwhile.").waitFor();
  await two.page.getByText("Your text: “Too early for me”").waitFor();
  expect(world.stateOf(id)).toBe("offered");
  // Both at the same moment: exactly one decision is recorded.
  const both = world.held("Race at once");
  await openCard(one.page, both);
  await openCard(two.page, both);
  // The slower browser may learn of the decision before its button is pressed, and then has none to press.
  const press = ({ page }: typeof one) => page.getByRole("button", { name: /^Accept/ }).click({ timeout: 2000 });
  await Promise.allSettled([press(one), press(two)]);
  for (const { page } of [one, two]) await page.locator(".note", { hasText: /Accepted by (you|ana|ben)/ }).waitFor();
  await expect.poll(() => world.stateOf(both)).toBe("offered");
  const events = world.exchange.cli("ana", "events", "--json").split("\n").filter((line) => line.includes(both));
  expect(events.filter((line) => line.includes('"handoff.accepted"'))).toHaveLength(1);
  await Promise.all([one.context.close(), two.context.close()]);
});

test("a change by the command line is visible within a second", async () => {
  const { page, context } = await world.person("ana");
  let count = 0;
  const openLive = async () => {
    count += 1;
    await page.goto("/ui/p/default/inbox");
    await page.locator(".conn", { hasText: "Live" }).waitFor();
  };
  const cancelled = await shortest(1000, async () => {
    const name = `Cancelled elsewhere ${count}`;
    const id = world.held(name);
    await openLive();
    await page.getByRole("link", { name }).click();
    await page.locator(".st.box", { hasText: "Held" }).waitFor();
    world.exchange.cli("planner", "cancel", id);
    return duration(() => page.locator(".st.box", { hasText: "Cancelled" }).waitFor());
  });
  expect(cancelled).toBeLessThan(1000);

  const expires_at = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z/, "Z");
  const submitted = await shortest(1000, async () => {
    await openLive();
    world.held(`Submitted while you look ${count}`, { expires_at });
    return duration(() => page.getByRole("button", { name: /1 new/ }).waitFor());
  });
  expect(submitted).toBeLessThan(1000);
  await page.keyboard.press("L");
  await page.getByRole("link", { name: `Submitted while you look ${count}` }).waitFor();
  await context.close();
});

test("a newer revision shows the difference and asks again", async () => {
  const id = world.held("Read one revision");
  const { page, context } = await world.person("ana");
  await openCard(page, id);
  const task = world.show(id).handoff.task;
  const packet = base(task, "planner", "codex-2", "Read another revision", { can_intercept: true });
  world.exchange.cliWith("planner", packet, "revise", id);
  await page.getByText("Revision 2 came while you read.").waitFor();
  await page.locator(".code ins", { hasText: "another" }).waitFor();
  await page.getByRole("button", { name: /^Accept r2/ }).click();
  await page.getByText(/^Accepted: /).waitFor();
  expect(world.stateOf(id)).toBe("offered");
  await context.close();
});

test("an old link says who decided", async () => {
  const id = world.held("Decided long ago");
  world.exchange.decide("ben", "reject", id, "--message", "Not this quarter");
  const { page, context } = await world.person("ana");
  await openCard(page, id);
  await page.locator(".note", { hasText: "Rejected by ben" }).waitFor();
  await page.getByRole("article").getByText("Not this quarter").waitFor();
  const decisions = page.getByRole("region", { name: "Decisions" });
  await decisions.getByText("Rejected by ben").waitFor();
  // An operator only acknowledges what was decided.
  expect(await page.getByRole("button", { name: /^(Accept|Reject|Reroute)/ }).count()).toBe(0);
  await page.getByRole("button", { name: /^Acknowledge/ }).waitFor();
  await context.close();
});

test("without a stream the console polls, and a decision about an old revision is refused", async () => {
  const id = world.held("Read without a stream");
  const { page, context } = await world.person("ana");
  await page.route("**/v1/events", (route) => route.abort());
  await openCard(page, id);
  await page.getByText("No stream, asking every 5 s").waitFor();
  const packet = base(world.show(id).handoff.task, "planner", "codex-2", "Revised without a stream", { can_intercept: true });
  world.exchange.cliWith("planner", packet, "revise", id);
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByText("Nothing was applied.").waitFor();
  await page.getByText("Revision 2 came while you read.").waitFor();
  expect(world.stateOf(id)).toBe("held");
  await page.getByRole("button", { name: /^Accept r2/ }).click();
  await page.getByText(/^Accepted: /).waitFor();
  expect(world.stateOf(id)).toBe("offered");
  await context.close();
});
