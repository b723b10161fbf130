import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { brokenTrail, checkChain } from "./chain";
import { canonical, hashOf, hexOf, type Leaf, readLeaf } from "./leaf";
import { ownSha256, sha256 } from "./sha256";

const vectors = JSON.parse(readFileSync(new URL("../../../../vectors/leaves.json", import.meta.url), "utf8")) as {
  leaves: string[];
  [name: string]: unknown;
};
const [first = "", second = "", third = ""] = vectors.leaves;
const last = Object.values(vectors).find((value) => typeof value === "string" && value.endsWith("=")) as string;

test("the hashes are those of the specification's vectors", async () => {
  expect(await hashOf(third)).toBe(last);
  const leaf = (await readLeaf(second)) as Leaf;
  expect(leaf).toMatchObject({ n: 1, type: "handoff.submitted", prev: await hashOf(first) });
});

test("the own SHA-256 agrees with the browser's, at every length of padding", async () => {
  for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1000, 65_536]) {
    const message = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256);
    expect(ownSha256(message)).toEqual(await sha256(message));
  }
});

test("without a secure context the page computes the hash itself", async () => {
  vi.stubGlobal("crypto", {});
  expect(await hashOf(third)).toBe(last);
  vi.unstubAllGlobals();
});

test("leaves that follow each other are linked, and the last waits for one that confirms it", async () => {
  const { leaves, brokenAt } = await checkChain(vectors.leaves);
  expect(brokenAt).toBeUndefined();
  expect([...leaves.values()].map((leaf) => leaf.status)).toEqual(["linked", "linked", "unconfirmed"]);
});

test("a changed leaf is broken, whichever member was changed", async () => {
  const change = (line: string, from: string, to: string) => {
    expect(line).toContain(from);
    return line.replace(from, to);
  };
  const time = await checkChain([first, change(second, "09:46:41", "09:46:40"), third]);
  expect(time.brokenAt).toMatchObject({ n: 1 });
  expect(time.leaves.get(1)?.why).toBe("its hash is not the one that #2 contains");
  const link = await checkChain([first, change(second, "Tq8w", "Aq8w"), third]);
  expect(link.brokenAt?.n).toBe(1);
  expect(link.leaves.get(0)?.status).toBe("unconfirmed");
  const last = await checkChain([first, second, change(third, "/3uW", "/4uW")]);
  expect(last.brokenAt?.n).toBe(1);
});

test("bytes that are not canonical are no leaf", async () => {
  const spaced = second.replace('"hops":0', '"hops": 0');
  expect(await readLeaf(spaced)).toEqual({ text: spaced, unreadable: "it is not in canonical form" });
  const stated = [{ n: 1, at: "2025-11-15T09:46:41Z", type: "handoff.submitted" }];
  const check = await checkChain([first, spaced, third], stated);
  expect(check.brokenAt).toEqual({ n: 1, why: "it is not in canonical form" });
  expect(canonical({ b: [1, null], a: "€" })).toBe('{"a":"€","b":[1,null]}');
});

test("an event that is shown differently from its leaf is broken", async () => {
  const handoff = "hof_019a86e8e00172028202020202020202";
  const event = { n: 1, at: "2025-11-15T09:46:41.000000Z", type: "handoff.submitted", handoff };
  expect((await checkChain(vectors.leaves, [event])).brokenAt).toBeUndefined();
  const other = await checkChain(vectors.leaves, [{ ...event, type: "handoff.rejected" }]);
  expect(other.brokenAt).toEqual({ n: 1, why: "the page shows another event than the leaf records" });
});

test("a leaf that was left out of a handoff's trail is missed", async () => {
  const leaves = (await Promise.all(vectors.leaves.map(readLeaf))) as Leaf[];
  expect(brokenTrail(leaves)).toBeUndefined();
  expect(brokenTrail(leaves.slice(2))).toMatchObject({ n: 2 });
  expect(hexOf("AAE=")).toBe("0001");
});
