#!/usr/bin/env node
import { add } from "./add.mjs";

process.exitCode = add(process.argv.slice(2), process.cwd(), {
  say: (line) => console.log(line),
  complain: (line) => console.error(line),
});
