// Edits, signatures and the other decisions, and packet text that tries to be something else.
import { expect, test } from "vitest";
import { PASSWORD } from "./support/exchange.mjs";
import { base, everyKind, hostile, release, returned } from "./support/stories.mjs";
import { openCard, useWorld } from "./support/world";

const world = useWorld(everyKind);

test("an edit shows the difference before it is saved", async () => {
  const id = world.held("Edit my goal", { payload: [{ label: "Records", value: 12 }] });
  const { page, context } = await world.person("ana");
  await openCard(page, id);
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Goal" }).fill("Edited goal");
  await page.getByLabel("Value of Records").fill("13");
  await page.getByRole("button", { name: "Review the difference" }).click();
  await page.locator(".code .add", { hasText: "Edited goal" }).waitFor();
  await page.getByText("Saving makes revision 2.").waitFor();
  await page.getByRole("button", { name: "Save as r2" }).click();
  await page.getByText(/^Edited: /).waitFor();
  const { packet, handoff, decisions } = world.show(id);
  expect(handoff.revision).toBe(2);
  expect(decisions).toMatchObject([{ decision: "edit", by: "ana", opened: ["packet"], seconds: expect.any(Number) }]);
  expect(packet.payload?.[0]?.value).toBe(13);
  await context.close();
});

test("an action is accepted as exactly the bytes that were edited", async () => {
  const { page, context } = await world.person("ana");
  await openCard(page, world.ids.action);
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Command" }).fill("helm upgrade checkout-api ./chart -n prod --atomic");
  await page.getByRole("button", { name: "Review the difference" }).click();
  await page.getByText("Saving accepts the changed action.").waitFor();
  await page.getByRole("button", { name: "Save and accept this action" }).click();
  await page.getByText(/^Edited: .*claimed by codex-2/).waitFor();
  await page.getByText(/changed and accepted by ana/).waitFor();
  const versions = page.getByRole("region", { name: "Actions" });
  await versions.getByText("changed by a person").waitFor();
  await versions.getByText("--force").waitFor();
  await versions.getByText("--atomic").waitFor();
  await page.getByRole("region", { name: "Command" }).getByText("--atomic").waitFor();
  expect(world.stateOf(world.ids.action ?? "")).toBe("claimed");
  await context.close();
});

test("a sign-off asks for what must be opened, its meaning and the password", async () => {
  const id = world.exchange.submit({ ...release(), task_id: "sign-1" });
  const { page, context } = await world.person("ana");
  await openCard(page, id);
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByText(/^Accepted: .*still held/).waitFor();
  await page.keyboard.press("s");
  await page.getByText("The gate asks that you open the evidence").waitFor();
  await page.getByRole("button", { name: "Open the evidence" }).click();
  await page.getByText("report:safety-case-7").waitFor();
  await page.keyboard.press("s");
  await page.getByLabel("approved for clinical use").check();
  await page.getByLabel(/Your password/).fill("wrong password");
  await page.getByRole("button", { name: /^Sign off r1/ }).click();
  await page.locator(".note.refused").waitFor();
  await page.getByLabel(/Your password/).fill(PASSWORD);
  await page.getByRole("button", { name: /^Sign off r1/ }).click();
  await page.getByText(/^Signed off: /).waitFor();
  expect(world.stateOf(id)).toBe("held");
  await context.close();
});

test("the other decisions: claim, answer, verdict, release, return, reroute, intercept, cancel, redrive", async () => {
  const { page, context, problems } = await world.person("ana");
  const open = (id: string | undefined) => openCard(page, id);
  const done = (text: RegExp) => page.getByText(text).waitFor();

  await open(world.ids.offer);
  await page.keyboard.press("a");
  await done(/^Claimed: notes-1.0/);
  await page.getByRole("button", { name: /^Return/ }).click();
  await page.getByLabel("What came of it").fill("The wording is right.");
  await page.getByRole("button", { name: "Return", exact: true }).click();
  await done(/^Returned: notes-1.0/);

  await page.goto("/ui/p/default/inbox");
  await page.locator(".item", { hasText: "Which tenant does the web part target?" }).waitFor();
  await open(world.ids.question);
  await page.keyboard.press("a");
  await page.getByLabel("Your answer").fill("contoso-eu");
  await page.keyboard.press("Control+Enter");
  await done(/^Answered: tenant-7/);

  await open(world.ids.returned);
  await page.getByRole("button", { name: /^Fail/ }).click();
  await page.getByLabel(/What is missing/).fill("axe was not run");
  await page.getByRole("button", { name: "Fail", exact: true }).click();
  await done(/^Sent back for rework: validator-12/);

  await open(world.ids.mine);
  await page.getByRole("button", { name: /^Release/ }).click();
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await done(/^Released: invoice-export/);

  const moved = world.held("Goes to another");
  await open(moved);
  await page.keyboard.press("w");
  await page.getByLabel(/New receiver/).selectOption("synthesizer");
  await page.getByRole("button", { name: "Reroute", exact: true }).click();
  await done(/^Rerouted: /);
  await page.getByText(/no longer for codex-2|synthesizer/).first().waitFor();

  const taken = world.held("Taken by a person");
  await open(taken);
  await page.keyboard.press("i");
  await done(/^Intercepted: .*claimed by ana/);
  await page.keyboard.press("Shift+C");
  await page.getByLabel(/Reason/).fill("No longer needed");
  await page.getByRole("button", { name: "Cancel handoff", exact: true }).click();
  await done(/^Cancelled: /);

  await open(world.ids.dead);
  await page.keyboard.press("a");
  await done(/^Redriven: pricing-7/);
  expect(world.show(world.ids.dead ?? "").decisions).toMatchObject([{ decision: "redrive", opened: ["packet"] }]);
  expect(problems).toEqual([]);
  await context.close();
});

test("the decisions that say no, and a verdict that says yes", async () => {
  const { exchange } = world;
  const { page, context, problems } = await world.person("ana");
  const sendForm = async (field: RegExp | string, text: string) => {
    await page.getByLabel(field).fill(text);
    await page.keyboard.press("Control+Enter");
  };

  const signed = exchange.submit({ ...release(), task_id: "refuse-1", trigger: undefined });
  await openCard(page, signed);
  await page.keyboard.press("s");
  await page.getByLabel(/Your password/).fill(PASSWORD);
  await page.getByText("Refuse to sign instead").click();
  await page.getByLabel(/Reason, required/).fill("The dry run has gaps");
  await page.getByRole("button", { name: "Refuse to sign" }).click();
  await page.getByText(/^Refused to sign: refuse-1/).waitFor();

  const offered = exchange.submit(base("decline-1", "planner", "ana", "Write the release notes"));
  await openCard(page, offered);
  await page.keyboard.press("r");
  await sendForm(/Reason/, "I am on leave");
  await page.getByText(/^Declined: decline-1/).waitFor();

  const asking = exchange.submit(base("action-2", "planner", "codex-2", "Clean the old indexes"));
  exchange.cli("codex-2", "claim", asking);
  exchange.request("codex-2", asking, { command: "drop index old_1" });
  await openCard(page, asking);
  await page.getByText("Refuses the action. codex-2 keeps the claim and gets your reason.").waitFor();
  await page.keyboard.press("r");
  await sendForm(/Reason \(goes to codex-2\)/, "It is still in use");
  await page.getByText(/^Rejected: action-2, claimed by codex-2/).waitFor();

  const passed = returned(exchange, "pass-1");
  await openCard(page, passed);
  await page.keyboard.press("a");
  await page.getByText(/^Passed: pass-1, done/).waitFor();
  expect(world.show(passed).return?.verdict).toMatchObject({ result: "pass", opened: ["packet"], seconds: expect.any(Number) });

  const gone = exchange.submit(base("discard-1", "scraper", "synthesizer", "Read the old price list"));
  exchange.cli("synthesizer", "decline", gone, "--message", "The site is gone");
  await openCard(page, gone);
  await page.getByText("The site is gone").first().waitFor();
  await page.keyboard.press("r");
  await sendForm(/Reason/, "No longer of use");
  await page.getByText(/^Discarded: discard-1/).waitFor();
  expect(world.show(gone).decisions).toMatchObject([{ decision: "discard", opened: ["packet"], seconds: expect.any(Number) }]);
  expect(problems).toEqual([]);
  await context.close();
});

test("hostile text is shown as text", async () => {
  const id = world.exchange.submit(hostile());
  const { page, context, problems } = await world.person("ana");
  await openCard(page, id);
  await page.locator(".hp-goal", { hasText: "<script>window.pwned=1</script>" }).waitFor();
  expect(await page.evaluate(() => (window as { pwned?: number }).pwned)).toBeUndefined();
  expect(await page.locator(".hp a[href*=evil]").count()).toBe(0);
  expect(await page.locator(".hp img").count()).toBe(0);
  for (const code of ["U+2066", "U+200F", "U+0007", "U+200B", "U+00A0", "U+2067"]) {
    await page.locator(".hp-hidden", { hasText: code }).first().waitFor();
  }
  // Two very long words: one of 15,000 characters, one of 100 kB.
  const more = page.getByRole("button", { name: /Show all .* characters/ });
  while ((await more.count()) > 0) await more.first().click();
  expect(await page.locator(".hp-payload").textContent()).toContain("M".repeat(100_000));
  const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(width).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});
