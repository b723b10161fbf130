// What a file of tests needs: an exchange, the console in front of it, and a browser.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launch, openWindow, signedIn, type Window } from "./browser.mjs";
import { Exchange } from "./exchange.mjs";
import { Mailbox } from "./mailbox.mjs";
import { codesAreMailed } from "./mailed";
import { openSite } from "./site.mjs";
import { base, people } from "./stories.mjs";

interface Details {
  handoff: { state: string; task: string; revision: number; [name: string]: unknown };
  packet: { payload?: { value: unknown }[] };
  return?: { verdict?: unknown };
  decisions?: unknown[];
}

/** Puts work into an exchange before its server starts, and returns the ids of handoffs. */
type Fill = (exchange: Exchange) => Record<string, string> | Promise<Record<string, string>>;

type Options = Parameters<typeof signedIn>[3];

export class World {
  readonly exchange = new Exchange();
  ids: Record<string, string> = {};
  /** The mail to ana, if the exchange mails codes. */
  readonly mailbox = new Mailbox();
  #site: Awaited<ReturnType<typeof openSite>> | undefined;
  #browser: Browser | undefined;
  #count = 0;

  async open(fill: Fill, mailsCodes: boolean): Promise<void> {
    people(this.exchange);
    if (mailsCodes) this.exchange.mailsTo(await this.mailbox.open(), "ana");
    this.ids = await fill(this.exchange);
    await this.exchange.serve();
    this.#site = await openSite(this.exchange);
    this.#browser = await launch();
    if (mailsCodes) await codesAreMailed(this);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await this.#site?.stop();
    await this.exchange.remove();
    await this.mailbox.close();
  }

  get url(): string {
    return this.#site?.url ?? "";
  }

  /** Opens a window in which a person has signed in. */
  person(name: string, options?: Options): Promise<Window> {
    return signedIn(this.#browser, this.#site, name, options);
  }

  /** Opens a window in which no one has signed in. */
  stranger(options?: Options): Promise<Window> {
    return openWindow(this.#browser, this.#site, options);
  }

  /** Submits a handoff that asks for a person. */
  held(goal: string, more: Record<string, unknown> = {}): string {
    const packet = base(`task-${++this.#count}`, "planner", "codex-2", goal, { can_intercept: true, ...more });
    return this.exchange.submit(packet);
  }

  show(id: string): Details {
    return JSON.parse(this.exchange.cli("ana", "show", id, "--json"));
  }

  stateOf(id: string): string {
    return this.show(id).handoff.state;
  }
}

/** Opens a card as a page. */
export async function openCard(page: Page, id: string | undefined): Promise<void> {
  await page.goto(`/ui/p/default/h/${id}`);
  await page.locator(".man-f").waitFor();
}

/** A world for the tests of a file. With `mailsCodes` it mails codes to ana. */
export function useWorld(fill: Fill = () => ({}), { mailsCodes = false } = {}): World {
  const world = new World();
  beforeAll(() => world.open(fill, mailsCodes));
  afterAll(() => world.close());
  return world;
}
