// The command `add`: copies the sources of the component into an app, which owns them from then on.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { componentFiles, FOLDER } from "./files.mjs";

const HELP = `Copies the sources of the handoff card into your app.

Usage: tasuki-handoff-protocol add handoff-protocol [--path FOLDER] [--dry-run] [--force]

  --path FOLDER   the folder to copy to; by default src/components/${FOLDER}, or
                  components/${FOLDER} in an app without src
  --dry-run       say what would be copied, and copy nothing
  --force         replace files that differ from this version, and say which

A file that differs is never replaced without --force: nothing is copied then, and the exit code is 1.`;

const OPTIONS = {
  path: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
};

/** A mistake of the caller, which is reported without a stack. */
class UsageError extends Error {}

/**
 * Runs the command and returns its exit code: 0 done, 1 refused, 2 wrong usage.
 * @param {string[]} args
 * @param {string} cwd
 * @param {{ say: (line: string) => void, complain: (line: string) => void }} output
 */
export function add(args, cwd, output) {
  try {
    const { values, positionals } = parse(args);
    if (values.help || positionals.length === 0) {
      output.say(HELP);
      return values.help ? 0 : 2;
    }
    checkCommand(positionals);
    return copy(targetFolder(values.path, cwd), cwd, values, output);
  } catch (error) {
    if (!(error instanceof UsageError) && !error.code) throw error;
    output.complain(`error: ${error.message}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function parse(args) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error.message}\nSee --help.`);
  }
}

function checkCommand([command, component, ...more]) {
  if (command !== "add") throw new UsageError(`there is no command \`${command}\`; did you mean \`add handoff-protocol\`?`);
  if (component === undefined) throw new UsageError("name the component: `add handoff-protocol`");
  if (component !== "handoff-protocol") {
    throw new UsageError(`there is no component \`${component}\`; this package has \`handoff-protocol\``);
  }
  if (more.length > 0) throw new UsageError(`unexpected argument \`${more[0]}\``);
}

/** Returns the folder to copy to: the one that is named, or the usual one of the app. */
function targetFolder(path, cwd) {
  if (path !== undefined) return resolve(cwd, path);
  if (!existsSync(join(cwd, "package.json"))) {
    throw new UsageError("there is no package.json here; run this in the folder of your app, or name a folder with --path");
  }
  return join(cwd, existsSync(join(cwd, "src")) ? "src" : "", "components", FOLDER);
}

function copy(folder, cwd, { force, "dry-run": isDryRun }, { say, complain }) {
  const files = componentFiles().map(({ name, content }) => {
    const path = join(folder, name);
    return { path, content, state: stateOf(path, content) };
  });
  const shown = (path) => relative(cwd, path) || path;
  const differing = files.filter(({ state }) => state === "differs");
  if (differing.length > 0 && !force) {
    complain("error: these files differ from this version, and were not replaced:");
    for (const { path } of differing) complain(`  ${shown(path)}`);
    complain("Nothing was copied. Run it again with --force to replace them, or with --path to copy to another folder.");
    return 1;
  }
  const words = { new: "created", same: "unchanged", differs: "replaced (it differed)" };
  for (const { path, content, state } of files) {
    if (!isDryRun && state !== "same") {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    say(`${isDryRun && state !== "same" ? "would be " : ""}${words[state]}  ${shown(path)}`);
  }
  say(`\nimport { HandoffProtocol } from "@/components/${FOLDER}";`);
  return 0;
}

/** Compares a file with its content in this version. */
function stateOf(path, content) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return "new";
  if (!found.isFile()) throw new UsageError(`${path} is not a file`);
  return readFileSync(path, "utf8") === content ? "same" : "differs";
}
