// A person is away, and another one decides in their place: never at a gate.
import { expect, test } from "vitest";
import { refund, release } from "./support/stories.mjs";
import { openCard, useWorld } from "./support/world";

const world = useWorld();

test("a person names a deputy, who decides in their place until the person is back", async () => {
  const first = world.exchange.submit(refund("refund-9001"));
  const gated = world.exchange.submit({ ...release(), task_id: "deputy-gate" });
  const [ana, ben] = [await world.person("ana"), await world.person("ben")];
  await openCard(ben.page, first);
  await ben.page.getByRole("button", { name: /^Cancel/ }).waitFor();
  expect(await ben.page.getByRole("button", { name: /^Accept/ }).count()).toBe(0);

  await ana.page.goto("/ui/p/default/settings");
  await ana.page.getByRole("button", { name: "Away… a deputy for ana" }).click();
  await ana.page.getByLabel("Deputy").selectOption("ben");
  await ana.page.getByRole("button", { name: "Let ben stand in" }).click();
  await ana.page.getByText(/^You are away until the end of .*; ben stands in\.$/).waitFor();
  await ana.page.getByText(/^away until .*, ben stands in/).waitFor();

  await ben.page.goto("/ui/p/default/inbox");
  const row = ben.page.locator(".item", { hasText: "Refund invoice 4711" });
  await row.getByText("Hold, for ana").waitFor();
  await ben.page.getByRole("link", { name: "Refund invoice 4711" }).click();
  await ben.page.getByRole("button", { name: /^Accept/ }).click();
  await ben.page.getByText(/^Accepted: refund-9001, offered to codex-2/).waitFor();
  const events = world.exchange.cli("ana", "events", "--json").trim().split("\n").map((line) => JSON.parse(line));
  const accepted = events.find((event) => event.handoff === first && event.type === "handoff.accepted");
  expect([accepted.actor, accepted.on_behalf_of]).toEqual(["ben", "ana"]);
  await openCard(ana.page, first);
  await ana.page.getByText("Accepted by ben for ana").waitFor();

  // The safety officer is ana: ben gains no signature of hers, only his own.
  await openCard(ben.page, gated);
  await ben.page.keyboard.press("s");
  await ben.page.getByLabel("reviewed").waitFor();
  expect(await ben.page.getByLabel("approved for clinical use").count()).toBe(0);

  await ana.page.goto("/ui/p/default/operate/parties");
  await ana.page.getByRole("button", { name: /ends the absence of ana/ }).click();
  await ana.page.getByText("You are back.").waitFor();
  const second = world.exchange.submit(refund("refund-9002"));
  await openCard(ben.page, second);
  await ben.page.getByRole("button", { name: /^Cancel/ }).waitFor();
  expect(await ben.page.getByRole("button", { name: /^Accept/ }).count()).toBe(0);
  expect([...ana.problems, ...ben.problems]).toEqual([]);
  await Promise.all([ana.context.close(), ben.context.close()]);
});

test("a person who is no operator names only their own deputy", async () => {
  const { page, context } = await world.person("ben");
  await page.goto("/ui/p/default/operate/parties");
  await page.getByRole("button", { name: "Away… a deputy for ben" }).waitFor();
  expect(await page.getByRole("button", { name: "Away… a deputy for ana" }).count()).toBe(0);
  await context.close();
});
