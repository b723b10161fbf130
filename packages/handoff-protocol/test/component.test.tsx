import { createElement, version } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { HandoffProtocol, type HandoffProtocolProps } from "@/components/HandoffProtocol";
import { buttons, failOnConsoleErrors, press, show } from "./support";

failOnConsoleErrors();

const required: HandoffProtocolProps = {
  sourceAgent: "Web Scraper",
  destinationAgent: "Data Synthesizer",
  goal: "Extract pricing tiers",
  summary: "42 pages have tables.",
};
const full: HandoffProtocolProps = {
  ...required,
  payload: [{ label: "Cost", value: "$0.45" }],
  nextRequest: "Parse the tables.",
};
const texts = (place: Element, selector: string) => [...place.querySelectorAll(selector)].map((one) => one.textContent?.trim());

test.runIf(process.env.REACT_VERSION)("the React that was asked for is tested", () => {
  expect(version.split(".")[0]).toBe(process.env.REACT_VERSION);
});

test("shows the badge, the parties and every section, in this order", () => {
  const card = show(<HandoffProtocol {...full} />);
  expect(texts(card, "h2")).toEqual(["Context Packet"]);
  expect(texts(card, ".hp-name")).toEqual(["Web Scraper", "Data Synthesizer"]);
  expect(texts(card, "h3")).toEqual(["Goal", "What happened", "Context Payload", "What I need from you"]);
  expect(texts(card, ".hp-goal, .hp-text, th, td")).toEqual(["Extract pricing tiers", "42 pages have tables.", "Cost", "$0.45", "Parse the tables."]);
});

test("is read-only unless canIntercept is set, whatever callbacks there are", () => {
  expect(buttons(show(<HandoffProtocol {...full} onAccept={vi.fn()} onIntercept={vi.fn()} onCancel={vi.fn()} />))).toEqual([]);
  expect(buttons(show(<HandoffProtocol {...full} canIntercept={false} />))).toEqual([]);
});

test("each button calls its callback, without arguments", () => {
  const [onAccept, onIntercept, onCancel] = [vi.fn(), vi.fn(), vi.fn()];
  const card = show(<HandoffProtocol {...full} canIntercept onAccept={onAccept} onIntercept={onIntercept} onCancel={onCancel} />);
  const shown = buttons(card);
  expect(shown.map((button) => button.textContent)).toEqual(["Accept Handoff", "Intercept & Override", "Cancel"]);
  expect(shown.map((button) => button.type)).toEqual(["button", "button", "button"]);
  for (const [index, called] of [onAccept, onIntercept, onCancel].entries()) {
    press(shown[index]);
    expect(called.mock.calls).toEqual([[]]);
  }
});

test("a button without a callback is shown and does nothing", () => {
  const shown = buttons(show(<HandoffProtocol {...required} canIntercept />));
  expect(shown).toHaveLength(3);
  for (const button of shown) press(button);
});

test("sections without content are absent", () => {
  expect(texts(show(<HandoffProtocol {...required} />), "h3")).toEqual(["Goal", "What happened"]);
  expect(texts(show(<HandoffProtocol {...required} payload={[]} nextRequest="" />), "h3")).toEqual(["Goal", "What happened"]);
});

test("the class name is added to the root", () => {
  expect(show(<HandoffProtocol {...required} className="wide dark" />).firstElementChild?.className).toBe("hp wide dark");
  expect(show(<HandoffProtocol {...required} />).firstElementChild?.className).toBe("hp");
});

test("every card is an article that its own goal names", () => {
  const page = show(createElement("div", null, <HandoffProtocol {...required} />, <HandoffProtocol {...required} goal="Another" />));
  const named = [...page.querySelectorAll("article")].map((card) => document.getElementById(card.getAttribute("aria-labelledby") ?? ""));
  expect(named.map((goal) => goal?.textContent)).toEqual(["Extract pricing tiers", "Another"]);
});

test("text is text, and hidden characters are shown by their code points", () => {
  const goal = "<img src=x onerror=alert(1)> [a](https://example.com)";
  const card = show(<HandoffProtocol {...full} goal={goal} payload={[{ label: "a\u202Eb", value: "c\u200Bd" }]} />);
  expect(card.querySelector("img, a, script")).toBeNull();
  expect(texts(card, ".hp-goal")).toEqual([goal]);
  expect(texts(card, ".hp-hidden")).toEqual(["U+202E", "U+200B"]);
  expect(card.querySelector(".hp-hidden")?.getAttribute("title")).toBe("U+202E right-to-left override");
});

test("rows with the same label stay apart and in order", () => {
  const payload = ["1", "2", "3"].map((value) => ({ label: "Page", value }));
  expect(texts(show(<HandoffProtocol {...required} payload={payload} />), "td")).toEqual(["1", "2", "3"]);
});

test("a long text is shown on demand, whole", () => {
  const summary = "word ".repeat(1000);
  const card = show(<HandoffProtocol {...required} summary={summary} />);
  expect(card.querySelector(".hp-text")?.textContent?.length).toBeLessThanOrEqual(2000);
  press(buttons(card)[0]);
  expect(card.querySelector(".hp-text")?.textContent).toBe(summary);
  expect(buttons(card)).toEqual([]);
});

test("nothing has an inline style or handler, which a strict policy forbids", () => {
  const card = show(<HandoffProtocol {...full} canIntercept />);
  for (const element of card.querySelectorAll("*")) {
    const bad = element.getAttributeNames().filter((name) => name === "style" || name.startsWith("on"));
    expect(bad).toEqual([]);
  }
});

test("a server can render it", () => {
  const html = renderToString(<HandoffProtocol {...full} canIntercept />);
  expect(html).toContain("Context Packet");
  expect(html).toContain("Intercept &amp; Override");
});
