// @vitest-environment node
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { add } from "../bin/add.mjs";
import { componentFiles } from "../bin/files.mjs";

let app: string;
beforeEach(() => {
  app = mkdtempSync(join(tmpdir(), "card-add-"));
  writeFileSync(join(app, "package.json"), "{}");
});
afterEach(() => rmSync(app, { recursive: true }));

function run(...args: string[]) {
  const [said, complained]: [string[], string[]] = [[], []];
  const code = add(args, app, { say: (line) => said.push(line), complain: (line) => complained.push(line) });
  return { code, said: said.join("\n"), complained: complained.join("\n") };
}

const read = (...path: string[]) => readFileSync(join(app, ...path), "utf8");

test("copies the files as they are, into src if there is one", () => {
  const { code, said } = run("add", "handoff-protocol");
  expect(code).toBe(0);
  for (const { name, content } of componentFiles()) {
    expect(read("components/HandoffProtocol", name)).toBe(content);
    expect(said).toContain(`created  components/HandoffProtocol/${name}`);
  }
  mkdirSync(join(app, "src"));
  expect(run("add", "handoff-protocol").said).toContain("created  src/components/HandoffProtocol/index.ts");
  expect(run("add", "handoff-protocol", "--path", "ui/card").said).toContain("created  ui/card/index.ts");
});

test("the copied files import nothing but React and each other", () => {
  const names = componentFiles().map(({ name }) => name.replace(/\.tsx?$/, ""));
  const imported = componentFiles().flatMap(({ content }) => [...content.matchAll(/(?:from|import) "([^"]+)"/g)].map((match) => match[1]));
  expect(imported.length).toBeGreaterThan(5);
  for (const one of imported) expect(["react", ...names.map((name) => `./${name}`)]).toContain(one);
});

test("says what is unchanged, and writes nothing then", () => {
  run("add", "handoff-protocol");
  const { code, said } = run("add", "handoff-protocol");
  expect(code).toBe(0);
  expect(said.match(/unchanged/g)).toHaveLength(componentFiles().length);
  expect(said).not.toContain("created");
});

test("replaces no file that differs, and then copies nothing", () => {
  mkdirSync(join(app, "components/HandoffProtocol"), { recursive: true });
  writeFileSync(join(app, "components/HandoffProtocol/Sash.tsx"), "mine");
  const { code, complained } = run("add", "handoff-protocol");
  expect(code).toBe(1);
  expect(complained).toContain("  components/HandoffProtocol/Sash.tsx");
  expect(complained).toContain("--force");
  expect(readdirSync(join(app, "components/HandoffProtocol"))).toEqual(["Sash.tsx"]);
  expect(read("components/HandoffProtocol/Sash.tsx")).toBe("mine");
});

test("--force replaces it and says so", () => {
  mkdirSync(join(app, "components/HandoffProtocol"), { recursive: true });
  writeFileSync(join(app, "components/HandoffProtocol/Sash.tsx"), "mine");
  const { code, said } = run("add", "handoff-protocol", "--force");
  expect(code).toBe(0);
  expect(said).toContain("replaced (it differed)  components/HandoffProtocol/Sash.tsx");
  expect(read("components/HandoffProtocol/Sash.tsx")).not.toBe("mine");
});

test("--dry-run writes nothing", () => {
  expect(run("add", "handoff-protocol", "--dry-run").said).toContain("would be created  components/HandoffProtocol/index.ts");
  expect(readdirSync(app)).toEqual(["package.json"]);
});

test("wrong usage says what is wrong and what to do", () => {
  const wrong: [string[], string][] = [
    [["install"], "there is no command `install`; did you mean `add handoff-protocol`?"],
    [["add"], "name the component: `add handoff-protocol`"],
    [["add", "card"], "there is no component `card`; this package has `handoff-protocol`"],
    [["add", "handoff-protocol", "x"], "unexpected argument `x`"],
    [["add", "handoff-protocol", "--now"], "See --help."],
  ];
  for (const [args, message] of wrong) {
    const { code, complained } = run(...args);
    expect([code, complained]).toEqual([2, expect.stringContaining(message)]);
  }
  rmSync(join(app, "package.json"));
  expect(run("add", "handoff-protocol").complained).toContain("there is no package.json here");
  writeFileSync(join(app, "package.json"), "{}");
  mkdirSync(join(app, "components/HandoffProtocol/index.ts"), { recursive: true });
  expect(run("add", "handoff-protocol").complained).toContain("index.ts is not a file");
});

test("help says what it does", () => {
  expect(run("--help")).toMatchObject({ code: 0, said: expect.stringContaining("Usage: ") });
  expect(run()).toMatchObject({ code: 2, said: expect.stringContaining("Usage: ") });
});
