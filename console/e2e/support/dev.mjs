// Runs a filled exchange for work on the console: TASUKI=… node e2e/support/dev.mjs 7421
import { Exchange, PASSWORD } from "./exchange.mjs";
import { everyKind, hostile, people } from "./stories.mjs";

const exchange = new Exchange();
people(exchange);
const ids = everyKind(exchange);
ids.hostile = exchange.submit(hostile());
await exchange.serve(Number(process.argv[2] ?? 7421));
console.log(`${exchange.url} · ana / ${PASSWORD} · code ${exchange.code} · ${exchange.directory}`);
console.log(ids);
process.on("SIGINT", () => exchange.remove().then(() => process.exit(0)));
