// How to bring each page of the console onto the screen.
import type { Page } from "playwright-core";
import { PASSWORD } from "./exchange.mjs";
import { linksOf } from "./mailed";
import { TASK } from "./relay.mjs";
import type { World } from "./world";

export type Look = (page: Page, world: World) => Promise<unknown>;

const card = (name: string, more?: (page: Page) => Promise<unknown>): Look => async (page, world) => {
  await page.goto(`/ui/p/default/h/${world.ids[name]}`);
  await page.locator(".man-f").waitFor();
  await page.locator(".rail .ladder").waitFor();
  await more?.(page);
};

const press = (key: string, ready: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await page.keyboard.press(key);
  await ready(page);
};

const operate = (section: string, ready: (page: Page) => Promise<unknown>): Look => async (page) => {
  await page.goto(`/ui/p/default/operate/${section}`);
  await page.getByRole("heading", { name: "Operate" }).waitFor();
  await ready(page);
};

const AT = "2026-11-16T14:01:58.000000Z";
const CREATED = { party: "ana", status: "active", created_at: AT, from: 12 };
/** Subscriptions need a receiver that answers when they are added, which the network of the tests does not have. */
const SUBSCRIPTIONS = [
  { ...CREATED, id: `sub_${"1".repeat(32)}`, kind: "webhook", url: "https://ops.example.org/hooks/tasuki", filter: { type: ["handoff.held", "handoff.died"] } },
  { ...CREATED, id: `sub_${"2".repeat(32)}`, kind: "slack", url: "https://hooks.slack.com", party: "role:finance" },
  { ...CREATED, id: `sub_${"3".repeat(32)}`, kind: "email", address: "clinical@example.org", status: "disabled", because: "failing" },
];
const DELIVERIES = [
  { n: 18203, at: AT, attempt: 3, status: 503, millis: 2004, response: "upstream is away" },
  { n: 18202, at: AT, attempt: 1, status: 200, millis: 84, response: "ok" },
  { n: 18191, at: AT, attempt: 2, millis: 10_000, response: "connection refused" },
];

const task = (view: string, more?: (page: Page) => Promise<unknown>): Look => async (page) => {
  await page.goto(`/ui/p/default/t/${TASK}${view && `?view=${view}`}`);
  await page.getByRole("heading", { name: TASK, level: 1 }).waitFor();
  if (view !== "packets") await page.getByText(/recomputed in this browser|^broken at/).first().waitFor();
  await more?.(page);
};

const goal = (page: Page) => page.getByRole("textbox", { name: "Goal" });

let nextInvoice = 4712;

/** The pages before anyone has signed in. */
export const OUTSIDE: Record<string, Look> = {
  "sign-in": (page) => page.goto("/ui/sign-in").then(() => page.getByRole("heading", { name: "Sign in" }).waitFor()),
  welcome: (page) => page.goto("/ui/welcome?t=0").then(() => page.getByRole("link", { name: /Sign in/ }).waitFor()),
  mail: async (page, world) => {
    const goal = `Refund invoice ${nextInvoice++} to the customer`;
    world.held(goal);
    const { code } = linksOf((await world.mailbox.about(goal)).text);
    await page.goto(`/ui/m#${code}`);
    await page.locator(".man-f").waitFor();
  },
  "card-states": (page) => page.goto("/ui/card").then(() => page.locator("[data-state=element] .hp-goal").waitFor()),
  "not-found": (page) => page.goto("/ui/nowhere").then(() => page.getByRole("heading", { name: "Nothing is here" }).waitFor()),
};

/** The pages of a person who has signed in. */
export const INSIDE: Record<string, Look> = {
  inbox: (page) => page.goto("/ui/p/default/inbox").then(() => page.locator(".item").nth(5).waitFor()),
  "inbox-done": (page) => page.goto("/ui/p/default/inbox?view=done").then(() => page.locator(".list .item").first().waitFor()),
  "inbox-filtered-empty": (page) =>
    page.goto("/ui/p/default/inbox?q=nothing+like+this").then(() => page.getByText("No handoff matches").waitFor()),
  "inbox-empty": async (page) => {
    const body = { party: "ana", handoffs: [], as_of_n: 18205, as_of: new Date().toISOString(), more: false };
    await page.route("**/v1/inbox*", (route) => route.fulfill({ json: body }));
    await page.goto("/ui/p/default/inbox");
    await page.getByText("Nothing needs you").waitFor();
  },
  "inbox-unanswered": async (page) => {
    await page.route("**/v1/inbox*", (route) => route.abort());
    await page.goto("/ui/p/default/inbox");
    await page.getByText("this is not an empty inbox").waitFor();
  },
  "inbox-selected": async (page) => {
    await page.goto("/ui/p/default/inbox");
    for (const goal of [/^Select Rewrite the onboarding/, /^Select Explain the checkout/, /^Select Release discharge/]) await page.getByLabel(goal).check();
    await page.getByText(/left out/).waitFor();
  },
  "inbox-bulk": async (page) => {
    await page.goto("/ui/p/default/inbox");
    await page.getByLabel(/^Select Rewrite the onboarding/).check();
    await page.getByRole("button", { name: /^Accept 1 handoff/ }).click();
    await page.getByText("Each is sent on its own").waitFor();
  },
  "inbox-snooze": async (page) => {
    await page.goto("/ui/p/default/inbox");
    await page.getByLabel(/^Select Rewrite the onboarding/).check();
    await page.getByRole("button", { name: /^Snooze 1/ }).click();
    await page.getByRole("button", { name: "4 hours" }).waitFor();
  },
  "inbox-views": async (page) => {
    await page.goto("/ui/p/default/inbox");
    await page.locator(".item").first().waitFor();
    await page.getByRole("button", { name: "Views", exact: true }).click();
    await page.getByLabel("Name of this view").waitFor();
  },
  "card-hold": card("hold"),
  "card-rule": card("rule"),
  "card-action": card("action"),
  "card-gate": card("gate"),
  "card-sign-off": card("gate", press("s", (page) => page.getByLabel(/Your password/).fill(PASSWORD))),
  "card-offer": card("offer"),
  "card-question": card("question"),
  "card-return": card("returned"),
  "card-mine": card("mine"),
  "card-mine-return": card("mine", press("a", (page) => page.getByLabel("What came of it").fill("The export writes to the new bucket."))),
  "card-dead": card("dead"),
  "card-rejected": card("rejected"),
  "card-hostile": card("hostile"),
  "card-reject": card("hold", press("r", (page) => page.getByLabel(/Reason/).fill("Alert rate is still above the baseline."))),
  "card-reroute": card("hold", press("w", (page) => page.getByLabel(/New receiver/).waitFor())),
  "edit-form": card("hold", press("e", (page) => goal(page).fill("Explain the checkout errors since 13:47 in eu-west"))),
  "edit-difference": card("hold", async (page) => {
    await page.keyboard.press("e");
    await goal(page).fill("Explain the checkout errors since 13:47 in eu-west");
    await page.getByRole("button", { name: "Review the difference" }).click();
    await page.locator("dialog .code").waitFor();
  }),
  json: card("hold", press(".", (page) => page.getByRole("region", { name: "JSON" }).waitFor())),
  tasks: (page) => page.goto("/ui/p/default/tasks").then(() => page.getByRole("link", { name: TASK }).waitFor()),
  task: task(""),
  "task-graph": task("graph"),
  "task-table": task("table"),
  "task-packets": task("packets", (page) => page.locator(".hp-payload, .code").first().waitFor()),
  "task-log": task("log"),
  "task-log-broken": async (page, world) => {
    await page.route("**/leaves?*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('"fence":1', '"fence":7') });
    });
    await task("log")(page, world);
  },
  "log-entry": task("log", async (page) => {
    await page.locator(".chain .disc").nth(3).click();
    await page.getByText(/This browser recomputed/).waitFor();
  }),
  live: async (page) => {
    await page.goto("/ui/p/default/live");
    await page.locator(".lc .hash").nth(3).waitFor();
    await page.locator(".prow").first().waitFor();
  },
  "live-filtered-empty": (page) => page.goto("/ui/p/default/live?task=nothing+like+this").then(() => page.getByText("No step matches").waitFor()),
  overview: async (page) => {
    await page.goto("/ui/p/default/overview");
    await page.locator(".mini").first().waitFor();
    await page.locator(".prow").first().waitFor();
  },
  "overview-tables": async (page) => {
    await page.goto("/ui/p/default/overview?hours=12");
    await page.getByText("The numbers of the charts").click();
    await page.getByRole("table", { name: "Events by hour" }).waitFor();
  },
  search: (page) => page.goto("/ui/p/default/search?q=checkout").then(() => page.getByText(/found for/).waitFor()),
  "operate-contracts": operate("contracts", (page) => page.locator(".graph .n").first().waitFor()),
  "operate-gates": operate("gates", (page) => page.getByText("money-movement").waitFor()),
  "operate-parties": operate("parties", (page) => page.locator("tr", { hasText: "role:oncall" }).first().waitFor()),
  "operate-members": operate("parties", async (page) => {
    await page.getByRole("button", { name: "Change the members of role:oncall" }).click();
    await page.getByRole("button", { name: "Remove ben" }).waitFor();
  }),
  "operate-tokens": operate("tokens", (page) => page.getByRole("button", { name: /^Revoke/ }).first().waitFor()),
  "operate-token-create": operate("tokens", async (page) => {
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByLabel(/^Party/).fill("codex-2");
  }),
  "operate-subscriptions": async (page, world) => {
    await page.route("**/v1/subscriptions", (route) => route.fulfill({ json: { items: SUBSCRIPTIONS } }));
    await page.route("**/deliveries*", (route) => route.fulfill({ json: { items: DELIVERIES } }));
    await operate("subscriptions", (one) => one.getByText("503").waitFor())(page, world);
  },
  "operate-dead": operate("dead", (page) => page.getByRole("button", { name: /^Redrive/ }).waitFor()),
  "operate-dead-empty": async (page, world) => {
    await page.route("**/v1/dead*", (route) => route.fulfill({ json: { items: [] } }));
    await operate("dead", (one) => one.getByText("No dead letter").waitFor())(page, world);
  },
  "operate-doctor": operate("doctor", (page) => page.getByText("every rung has a receiver").or(page.getByText("rungs without a receiver")).waitFor()),
  "operate-halt": operate("contracts", async (page) => {
    await page.getByRole("button", { name: "Halt…" }).click();
    await page.getByLabel("Reason").fill("The price feed is wrong.");
  }),
  settings: (page) => page.goto("/ui/p/default/settings").then(() => page.getByRole("heading", { name: "Settings" }).waitFor()),
  keys: async (page) => {
    await page.goto("/ui/p/default/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  },
  account: async (page) => {
    await page.goto("/ui/p/default/settings");
    await page.getByRole("button", { name: "Account of ana" }).click();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
  },
};
