// Runs the command `add` of a packed package through npm, pnpm, yarn and bun, each in an app of its own.
// Arguments: the tarball, the folder with the programs of the managers, a folder for the apps.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { componentFiles } from "../bin/files.mjs";

const [tarball, installed, work] = process.argv.slice(2);
const NAME = "tasuki-handoff-protocol";
const bin = (name) => join(installed, name);

/** How each manager runs a command of a package that is not installed, with a file in place of a name. */
const RUNNERS = {
  npm: ["npx", "--yes", `--package=${tarball}`, "--", NAME],
  pnpm: [bin("pnpm"), `--package=${tarball}`, "dlx", NAME],
  yarn: [bin("yarn"), "dlx", "--quiet", "-p", `${NAME}@file:${tarball}`, NAME],
  bun: [bin("bunx"), "--package", tarball, NAME],
};

/** Caches go to a folder of this run: a manager would take an earlier tarball of the same name for this one. */
const environment = {
  ...process.env,
  npm_config_cache: join(work, "cache/npm"),
  XDG_CACHE_HOME: join(work, "cache"),
  XDG_DATA_HOME: join(work, "cache/data"),
  YARN_GLOBAL_FOLDER: join(work, "cache/yarn"),
  YARN_ENABLE_TELEMETRY: "0",
  BUN_INSTALL_CACHE_DIR: join(work, "cache/bun"),
  TMPDIR: join(work, "cache/tmp"),
};
mkdirSync(environment.TMPDIR, { recursive: true });

for (const [manager, [program, ...args]] of Object.entries(RUNNERS)) {
  if (manager !== "npm" && !existsSync(program)) {
    console.log(`check-card: ${manager} is not installed, and was NOT checked`);
    continue;
  }
  const start = Date.now();
  const app = join(work, manager);
  mkdirSync(join(app, "src"), { recursive: true });
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true }));
  const add = (...more) => spawnSync(program, [...args, "add", "handoff-protocol", ...more], { cwd: app, env: environment, encoding: "utf8" });
  const file = (name) => join(app, "src/components/HandoffProtocol", name);

  const first = add();
  assert.equal(first.status, 0, `${manager}: ${first.error ?? ""}${first.stdout}${first.stderr}`);
  for (const { name, content } of componentFiles()) assert.equal(readFileSync(file(name), "utf8"), content, `${manager}: ${name}`);

  writeFileSync(file("Sash.tsx"), "changed by the app");
  const second = add();
  assert.notEqual(second.status, 0, `${manager}: a changed file was accepted`);
  assert.match(second.stdout + second.stderr, /differ from this version[^]*Sash\.tsx/, manager);
  assert.equal(readFileSync(file("Sash.tsx"), "utf8"), "changed by the app", manager);
  console.log(`check-card: add through ${manager}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
}
