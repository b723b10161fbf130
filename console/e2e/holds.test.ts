// Why something is held, who decides, and asking before deciding.
import { expect, test } from "vitest";
import { PASSWORD } from "./support/exchange.mjs";
import { refund, release } from "./support/stories.mjs";
import { openCard, useWorld } from "./support/world";

const world = useWorld();

test("a hold names its rule and who decides, and only they have the verbs", async () => {
  const id = world.exchange.submit(refund());
  const [ana, ben] = [await world.person("ana"), await world.person("ben")];
  await ana.page.locator(".why", { hasText: "rule money-movement" }).waitFor();
  await openCard(ana.page, id);
  await ana.page.locator(".st.box", { hasText: "Held by rule money-movement" }).waitFor();
  await ana.page.getByText("Decided by role:finance; planner may not").waitFor();
  await openCard(ben.page, id);
  await ben.page.getByRole("button", { name: /^Cancel/ }).waitFor();
  expect(await ben.page.getByRole("button", { name: /^(Accept|Reject|Reroute|Intercept|Ask)/ }).count()).toBe(0);
  await ana.page.getByRole("button", { name: /^Accept/ }).click();
  await ana.page.getByText(/^Accepted: refund-4711, offered to codex-2/).waitFor();
  await Promise.all([ana.context.close(), ben.context.close()]);
});

test("a person asks about a hold, reads the answer as a new revision, and decides", async () => {
  const id = world.exchange.submit(refund("refund-4712"));
  const { page, context } = await world.person("ana");
  await openCard(page, id);
  await page.keyboard.press("q");
  await page.getByLabel(/Question to planner/).fill("Did the customer ask for it?");
  await page.keyboard.press("Control+Enter");
  await page.getByText(/^Asked: refund-4712, still held/).waitFor();
  await page.getByRole("article").getByText("Did the customer ask for it?").waitFor();
  world.exchange.cli("planner", "answer", id, "--message", "Yes, by mail on Monday");
  await page.getByText("Revision 2 came while you read.").waitFor();
  await page.getByRole("button", { name: /^Accept r2/ }).click();
  await page.getByText(/^Accepted: refund-4712/).waitFor();
  await context.close();
});

test("a signature is listed with its gate, its meaning and how long the person looked", async () => {
  const id = world.exchange.submit({ ...release(), task_id: "sign-2", trigger: undefined });
  const { page, context } = await world.person("ana");
  await openCard(page, id);
  await page.getByRole("button", { name: "Show 2 references" }).click();
  await page.keyboard.press("s");
  await page.getByLabel("approved for clinical use").check();
  await page.getByLabel(/Your password/).fill(PASSWORD);
  await page.keyboard.press("Control+Enter");
  await page.getByText(/^Signed off: sign-2, still held/).waitFor();
  const decisions = page.getByRole("region", { name: "Decisions" });
  await decisions.getByText("gate clinical-release@1.0: approved for clinical use").waitFor();
  await decisions.getByText(/looked for \d+ s, opened packet, evidence/).waitFor();
  await page.getByText(/Gate clinical-release@1.0, cso: 1 of 1/).waitFor();
  await context.close();
});
