import { afterEach, expect, test, vi } from "vitest";
import * as api from "../../api/client";
import { ApiError } from "../../api/http";
import { item } from "../../testing/item";
import { bulkLabel, bulksOf, bulkVerbOf, decideAll, leftOut, type Outcome } from "./bulk";

afterEach(() => vi.restoreAllMocks());

const gate = { name: "release@1.0", factors: [{ name: "cso", roles: ["role:cso"], needed: 1 }] };
const failure = { kind: "dead", n: 9, since: "2026-11-16T12:00:00Z" } as const;

test("holds, returns and failures can be decided together; high risk, gates, actions and offers cannot", () => {
  const verb = (more: Parameters<typeof item>[1]) => bulkVerbOf(item("a", more), "ana");
  expect(verb({})).toBe("accept");
  expect(verb({ risk: "medium" })).toBe("accept");
  expect(verb({ state: "returned" })).toBe("pass");
  expect(verb({ state: "dead", waits: false, failure })).toBe("acknowledge");
  expect(verb({ risk: "high" })).toBeUndefined();
  expect(verb({ state: "returned", risk: "high" })).toBeUndefined();
  expect(verb({ held_for: ["gate:release"], gates: [gate] })).toBeUndefined();
  expect(verb({ held_for: ["asked"], gates: [gate] })).toBeUndefined();
  expect(verb({ action: { id: "act_1", digest: "sha256:11" } })).toBeUndefined();
  expect(verb({ state: "offered" })).toBeUndefined();
  expect(verb({ state: "claimed" })).toBeUndefined();
});

test("the button names its count and leaves out what it does not decide", () => {
  const rows = [item("a"), item("b"), item("c"), item("d", { risk: "high" }), item("e", { state: "returned" })];
  expect(bulksOf(rows, "ana").map(bulkLabel)).toEqual(["Accept 3 handoffs", "Pass 1 return"]);
  expect(leftOut(rows, "ana")).toMatch(/^1 left out/);
  expect(leftOut(rows.slice(0, 3), "ana")).toBeUndefined();
});

test("each decision is bound to the bytes that were shown, and each has a result", async () => {
  const decide = vi.spyOn(api, "decide").mockImplementation(async (_, id) => {
    if (id === "b") throw new ApiError({ type: "", title: "", status: 412, detail: "it changed", code: "TK-REVISION-CHANGED" });
    if (id === "c") throw new ApiError({ type: "", title: "", status: 403, detail: "not yours", code: "TK-NOT-ALLOWED" });
    return { handoff: item(id, { state: "offered", to: "coder" }) };
  });
  const items = [item("a", { revision: 3, digest: "sha256:33" }), item("b"), item("c")];
  const outcomes: Outcome[] = [];
  await decideAll("prod", { verb: "accept", items }, (outcome) => outcomes.push(outcome));
  expect(decide.mock.calls[0]).toEqual(["prod", "a", { decision: "accept", revision: 3, digest: "sha256:33", receiver: "coder", seconds: 0, opened: [] }]);
  expect(outcomes.map(({ item: { id }, isDone, words }) => [id, isDone, words])).toEqual([
    ["a", true, "Accepted, offered to coder."],
    ["b", false, "Changed since it was shown. Nothing was applied; look again."],
    ["c", false, "not yours"],
  ]);
});

test("a verdict names the return that was shown, and an acknowledgement the failure", async () => {
  const verify = vi.spyOn(api, "verify").mockResolvedValue({});
  const acknowledge = vi.spyOn(api, "acknowledge").mockResolvedValue({});
  await decideAll("prod", { verb: "pass", items: [item("a", { state: "returned", return_id: "ret_1" })] }, () => undefined);
  expect(verify.mock.calls[0]).toEqual(["prod", "a", { result: "pass", return: "ret_1", seconds: 0, opened: [] }]);
  await decideAll("prod", { verb: "acknowledge", items: [item("b", { failure })] }, () => undefined);
  expect(acknowledge.mock.calls[0]).toEqual(["prod", [{ handoff: "b", n: 9 }]]);
});
