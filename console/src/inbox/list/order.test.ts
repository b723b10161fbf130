import { describe, expect, test } from "vitest";
import type { InboxItem } from "../../api/types";
import { item } from "../../testing/item";
import { compare, groupOf, reconcile } from "./order";

const ids = (items: InboxItem[]) => items.map((one) => one.id).join(" ");

describe("the order of an inbox", () => {
  const rows = [
    item("late", { due_at: "2026-11-16T18:00:00Z" }),
    item("none"),
    item("soon", { due_at: "2026-11-16T12:05:00Z" }),
    item("risky", { risk: "high" }),
    item("older", { since: "2026-11-16T09:00:00Z" }),
  ];

  test("puts deadlines first, then risk, then age", () => {
    expect(ids(rows.toSorted(compare("deadline")))).toBe("soon late risky older none");
  });

  test("can put risk or age first", () => {
    expect(ids(rows.toSorted(compare("risk")))).toBe("risky soon late older none");
    expect(ids(rows.toSorted(compare("oldest")))).toBe("older risky soon late none");
  });

  test("is the same whatever came first", () => {
    const many = Array.from({ length: 200 }, (_, index) => item(`h${index % 100}${index}`));
    expect(ids(many.toReversed().sort(compare("deadline")))).toBe(ids(many.toSorted(compare("deadline"))));
  });

  test("groups by how soon something is due", () => {
    const now = Date.parse("2026-11-16T12:00:00Z");
    const group = (due_at?: string) => groupOf(item("h", due_at ? { due_at } : {}), "deadline", now);
    expect(group("2026-11-16T12:14:00Z")).toBe("Due within 15 minutes");
    expect(group("2026-11-16T11:00:00Z")).toBe("Due within 15 minutes");
    expect(group("2026-11-19T12:00:00Z")).toBe("Later");
    expect(group()).toBe("No deadline");
  });
});

describe("new data in a list that is being read", () => {
  const order = compare("oldest");
  const at = (id: string, hour: number) => item(id, { since: `2026-11-16T${String(hour).padStart(2, "0")}:00:00Z` });
  const shown = [at("b", 2), at("d", 4)];

  test("moves no row and keeps earlier rows waiting", () => {
    const frame = reconcile(shown, [at("a", 1), at("b", 2), at("c", 3), at("d", 4)], order);
    expect(ids(frame.shown)).toBe("b d");
    expect(frame.fresh).toBe(2);
  });

  test("appends what sorts behind everything", () => {
    const frame = reconcile(shown, [...shown, at("e", 5)], order);
    expect(ids(frame.shown)).toBe("b d e");
    expect(frame.fresh).toBe(0);
  });

  test("keeps what is gone in its place, marked", () => {
    const frame = reconcile(shown, [at("d", 4)], order);
    expect(ids(frame.shown)).toBe("b d");
    expect([...frame.gone]).toEqual(["b"]);
  });

  test("updates rows in place", () => {
    const frame = reconcile(shown, [{ ...at("b", 2), revision: 2 }, at("d", 4)], order);
    expect(frame.shown[0]?.revision).toBe(2);
  });

  test("shows everything in an empty list at once", () => {
    expect(reconcile([], shown, order)).toEqual({ shown, gone: new Set(), fresh: 0 });
  });
});
