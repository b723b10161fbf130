// Checks the registry item with the schema and the command of the published package `shadcn`.
// Arguments: the file of the item, the folder with shadcn, a folder for an app.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { componentFiles } from "../bin/files.mjs";

const [itemFile, installed, app] = process.argv.slice(2);
const shadcn = join(installed, "node_modules/shadcn/dist");
const text = readFileSync(itemFile, "utf8");

const { registryItemSchema } = await import(pathToFileURL(join(shadcn, "schema/index.js")).href);
const item = registryItemSchema.parse(JSON.parse(text));
assert.throws(() => registryItemSchema.parse({ ...item, type: "registry:card" }), "the schema refuses nothing");
assert.deepEqual(item.files.map(({ content }) => content), componentFiles().map(({ content }) => content));

mkdirSync(join(app, "src"), { recursive: true });
const write = (name, value) => writeFileSync(join(app, name), typeof value === "string" ? value : JSON.stringify(value));
write("package.json", { name: "app", private: true });
write("tsconfig.json", { compilerOptions: { baseUrl: ".", paths: { "@/*": ["./src/*"] } } });
write("src/index.css", '@import "tailwindcss";\n');
// Without a base colour the command asks no other registry.
write("components.json", {
  style: "new-york",
  tsx: true,
  tailwind: { config: "", css: "src/index.css", baseColor: "" },
  aliases: { components: "@/components", utils: "@/lib/utils" },
});

const server = createServer((_, response) => response.setHeader("content-type", "application/json").end(text));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${server.address().port}/r/handoff-protocol.json`;
const run = spawn(process.execPath, [join(shadcn, "index.js"), "add", "--yes", address], { cwd: app });
let output = "";
run.stdout.on("data", (part) => (output += part));
run.stderr.on("data", (part) => (output += part));
const code = await new Promise((ended) => run.on("close", ended));
server.close();
assert.equal(code, 0, output);
for (const { name, content } of componentFiles()) {
  // The command leaves out the first comment, and a directive that the app has no use for.
  const copied = readFileSync(join(app, "src/components/HandoffProtocol", name), "utf8").trim();
  assert.ok(copied.length > 50 && content.trimEnd().endsWith(copied), `${name}\n${output}\n${copied}`);
}
console.log("check-card: shadcn: the item passes its schema, and `shadcn add` copies the files");
