import { act } from "react";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { TasukiCard } from "../src/element";
import "./support";

beforeAll(() => import("../src/element"));
afterEach(() => act(async () => document.body.replaceChildren()));

async function shown(html: string): Promise<TasukiCard> {
  await act(async () => {
    document.body.innerHTML = html;
  });
  return document.querySelector("tasuki-card") as TasukiCard;
}

const texts = (card: TasukiCard, selector: string) => [...(card.shadowRoot?.querySelectorAll(selector) ?? [])].map((one) => one.textContent?.trim());

test("attributes in kebab case set the props", async () => {
  const card = await shown(
    `<tasuki-card source-agent="a" destination-agent="b" goal="g" summary="s" next-request="n" payload='[{"label":"l","value":7}]'></tasuki-card>`,
  );
  expect(texts(card, ".hp-name, .hp-goal, .hp-text, th, td")).toEqual(["a", "b", "g", "s", "l", "7", "n"]);
  expect(texts(card, "button")).toEqual([]);
});

test("properties set the props, and take effect when they change", async () => {
  const card = await shown("<tasuki-card goal='first'></tasuki-card>");
  await act(async () => {
    card.sourceAgent = "a";
    card.goal = "second";
    card.payload = [{ label: "l", value: "v" }];
    card.canIntercept = true;
  });
  expect(texts(card, ".hp-goal, td")).toEqual(["second", "v"]);
  expect(card.hasAttribute("can-intercept")).toBe(true);
  await act(async () => {
    card.canIntercept = false;
    card.payload = undefined;
  });
  expect(texts(card, "button, td")).toEqual([]);
});

test("buttons fire events that leave the element", async () => {
  const card = await shown("<tasuki-card can-intercept></tasuki-card>");
  const fired: string[] = [];
  for (const name of ["accept", "intercept", "cancel"]) {
    document.body.addEventListener(`tasuki-${name}`, (event) => fired.push(`${event.type} ${(event.target as Element).localName}`));
  }
  for (const button of card.shadowRoot?.querySelectorAll("button") ?? []) button.click();
  expect(fired).toEqual(["tasuki-accept tasuki-card", "tasuki-intercept tasuki-card", "tasuki-cancel tasuki-card"]);
});

test("events leave the shadow root that the element is in", async () => {
  const around = document.body.appendChild(document.createElement("div"));
  await act(async () => {
    around.attachShadow({ mode: "open" }).innerHTML = "<tasuki-card can-intercept></tasuki-card>";
  });
  const heard = vi.fn();
  document.body.addEventListener("tasuki-accept", heard);
  around.shadowRoot?.querySelector("tasuki-card")?.shadowRoot?.querySelector("button")?.click();
  expect(heard).toHaveBeenCalledOnce();
});

test("a payload that cannot be read is reported and shown as it is", async () => {
  const report = vi.spyOn(console, "error").mockImplementation(() => undefined);
  for (const bad of ["{", '{"label":"a"}', "[1]"]) {
    const card = await shown(`<tasuki-card payload='${bad}'></tasuki-card>`);
    expect(texts(card, "th, td")).toEqual(["unreadable payload", bad]);
    expect(report.mock.calls.pop()?.[0]).toContain('the attribute "payload"');
  }
  report.mockRestore();
});

test("the theme is that of the attribute, else that of the page, as it changes", async () => {
  const card = await shown("<tasuki-card></tasuki-card>");
  const classes = () => card.shadowRoot?.querySelector("article")?.className;
  expect(classes()).toBe("hp");
  await act(async () => document.documentElement.classList.add("dark"));
  expect(classes()).toBe("hp dark");
  await act(async () => card.setAttribute("theme", "light"));
  expect(classes()).toBe("hp light");
  await act(async () => document.documentElement.classList.remove("dark"));
});

test("an element that is moved is shown again", async () => {
  const card = await shown("<tasuki-card goal='g'></tasuki-card>");
  await act(async () => card.remove());
  await act(async () => document.body.append(card));
  expect(texts(card, ".hp-goal")).toEqual(["g"]);
});
