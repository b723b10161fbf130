// The alternatives: JSON.parse or the yaml package, then ajv 8, compiled once.
//
// Started by `run`, which requests one round at a time: a line `<seconds> <name>` comes in, the
// number of packets per second goes out. The schema comes from the Rust side, so that both apply
// the same rules to the same packet.

import { deepStrictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse as parseYaml } from "yaml";

const [schemaPath] = process.argv.slice(2);
if (schemaPath === undefined) {
  console.error("usage: node ajv.mjs <schema.json>");
  process.exit(2);
}

const here = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const json = here("packet.json");
const yaml = here("packet.yaml");

// Strict mode is about how schemas are written and has no cost per packet; ours describes one
// member in several places, which strict mode refuses.
const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
const isValid = ajv.compile(JSON.parse(readFileSync(schemaPath, "utf8")));

const measurements = {
  "JSON.parse": () => JSON.parse(json) !== null,
  "JSON.parse + ajv": () => isValid(JSON.parse(json)),
  "yaml": () => parseYaml(yaml) !== null,
  "yaml + ajv": () => isValid(parseYaml(yaml)),
};

deepStrictEqual(parseYaml(yaml), JSON.parse(json), "packet.yaml is not packet.json");
if (!isValid(JSON.parse(json))) {
  throw new Error(`ajv refuses the packet: ${JSON.stringify(isValid.errors)}`);
}
// A validator that accepts everything would be fast.
if (isValid({ ...JSON.parse(json), confidence: 62 })) {
  throw new Error("ajv accepts a packet that is wrong");
}

for await (const line of createInterface({ input: process.stdin })) {
  const [seconds, ...name] = line.split(" ");
  console.log(rate(Number(seconds), measurements[name.join(" ")]));
}

/// Returns how often `code` succeeds per second of processor time.
function rate(seconds, code) {
  const start = processorSeconds();
  for (let count = 0; ; ) {
    for (let turn = 0; turn < 16; turn++) {
      if (!code()) {
        throw new Error("a packet that was valid is not valid any more");
      }
    }
    count += 16;
    const elapsed = processorSeconds() - start;
    if (elapsed >= seconds) {
      return count / elapsed;
    }
  }
}

/// Over all threads: garbage collection and compilation are part of the cost.
function processorSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
