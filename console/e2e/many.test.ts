// A very long inbox of a real server: it is shown at once, and every handoff stands in it once and in order.
import { expect, test } from "vitest";
import { duration, shortest } from "./support/shortest";
import { base } from "./support/stories.mjs";
import { useWorld } from "./support/world";

const COUNT = 10_000;

const world = useWorld((exchange) => {
  exchange.isUnlimited = true;
  return {};
});

/** Returns a deadline for each handoff. The order of deadlines is not the order in which they are submitted. */
function deadline(index: number, start: number): string {
  const place = (index * 7_919) % COUNT;
  return new Date(start + place * 1000).toISOString().replace(/\.\d+Z/, "Z");
}

test("10,000 items are shown within a second, and scroll with every id once and in order", async () => {
  const start = Date.now() + 86_400_000;
  const packets = Array.from({ length: COUNT }, (_, index) =>
    base(`task-${index}`, "planner", "codex-2", `Goal number ${index}`, { can_intercept: true, expires_at: deadline(index, start) }),
  );
  const ids = await world.exchange.submitAll(packets);
  const expected = ids
    .map((id, index) => ({ id, place: (index * 7_919) % COUNT }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ id }) => id);
  expect(new Set(ids).size).toBe(COUNT);

  const { page, context, problems } = await world.person("ana");
  await page.getByText("10,000").first().waitFor();
  const time = await shortest(1000, async () => {
    await page.goto("about:blank");
    return duration(async () => {
      await page.goto("/ui/p/default/inbox", { waitUntil: "commit" });
      await page.locator(".item").first().waitFor();
    });
  });
  expect(time).toBeLessThan(1000);

  await page.getByText("10,000").first().waitFor();
  const seen = await page.evaluate(async () => {
    const box = document.querySelector(".rows");
    if (!box) throw new Error("the list is missing");
    const order: string[] = [];
    const known = new Set<string>();
    let most = 0;
    const rows = () => [...box.querySelectorAll<HTMLElement>(".item")];
    const fillScreen = () => {
      const screen = box.getBoundingClientRect();
      const [first, last] = [rows().at(0)?.getBoundingClientRect(), rows().at(-1)?.getBoundingClientRect()];
      return first && last && first.top <= screen.top + 1 && last.bottom >= screen.bottom - 1;
    };
    for (;;) {
      const drawn = rows();
      most = Math.max(most, drawn.length);
      for (const row of drawn) {
        const id = row.dataset.id ?? "";
        if (!known.has(id)) order.push(id);
        known.add(id);
      }
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) return { order, most };
      // The list draws a few rows beyond the screen, so a step may be longer than it is high.
      box.scrollTop += box.clientHeight + 1000;
      do await new Promise(requestAnimationFrame);
      while (!fillScreen());
    }
  });
  expect(seen.order).toEqual(expected);
  expect(seen.most).toBeLessThan(40);
  expect(problems).toEqual([]);
  await context.close();
}, 180_000);
