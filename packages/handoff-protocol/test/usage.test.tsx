// The usage example of the documentation, unchanged.
import { expect, test, vi } from "vitest";
import { buttons, failOnConsoleErrors, press, show } from "./support";
import { App } from "./usage/App";

failOnConsoleErrors();

test("the usage example runs", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const app = show(<App />);
  expect(app.firstElementChild?.className).toContain("max-w-lg");
  expect([...app.querySelectorAll("th, td")].map((cell) => cell.textContent)).toEqual([
    "Scraped URLs", "42 pages processed", "Extraction Rule", "Find pricing tables", "Cost Incurred", "$0.45",
  ]);
  for (const button of buttons(app)) press(button);
  expect(log.mock.calls).toEqual([["Handoff proceeds"], ["Human takes over"], ["Handoff cancelled"]]);
});
