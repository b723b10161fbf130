// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const styles = read("../src/handoff-protocol.css");

test("the colours are those of the console", () => {
  const tokens = Object.fromEntries(
    [...read("../../../console/src/styles/tokens.css").matchAll(/--([\w-]+):\s*light-dark\((#\w+), (#\w+)\)/g)].map((match) => [
      match[1],
      [match[2], match[3]],
    ]),
  );
  const colours = [...styles.matchAll(/--hp-([\w-]+): var\(--hp-light, (#\w+)\) var\(--hp-dark, (#\w+)\)/g)];
  expect(colours.length).toBeGreaterThan(20);
  for (const [, name = "", light, dark] of colours) {
    if (name !== "shadow-ink") expect([name, [light, dark]]).toEqual([name, tokens[name]]);
  }
});

test("every class and custom property has the prefix, so that none meets one of an app", () => {
  const selectors = styles.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/\{[^{}]*\}/g, "{}");
  const classes = [...selectors.matchAll(/\.([a-z][\w-]*)/g)].map((match) => match[1] ?? "");
  expect(classes.length).toBeGreaterThan(50);
  expect(classes.filter((name) => !/^(hp|hp-.*|light|dark)$/.test(name))).toEqual([]);
  const properties = [...styles.matchAll(/(--[\w-]+)\s*:/g)].map((match) => match[1] ?? "");
  expect(properties.filter((name) => !name.startsWith("--hp-"))).toEqual([]);
});

test("every custom property that is used is defined", () => {
  const defined = new Set([...styles.matchAll(/(--[\w-]+):/g)].map((match) => match[1]));
  const used = [...styles.matchAll(/var\((--[\w-]+)/g)].map((match) => match[1]);
  expect(used.filter((name) => !defined.has(name))).toEqual([]);
});
