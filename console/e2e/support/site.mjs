// The console in front of an exchange: the server has it embedded, unless it was built with another one.
import { readFileSync, statSync } from "node:fs";
import { createServer, request } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "worker-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** Returns the server itself if it has embedded the console in dist/, otherwise a site that serves it as the server does.
 * With REQUIRE_CONSOLE, as in CI, only the server itself will do. */
export async function openSite(exchange) {
  const embedded = await fetch(`${exchange.url}/ui/`).then((response) => response.text());
  if (embedded === readFileSync(join(DIST, "index.html"), "utf8")) return { url: exchange.url, stop: async () => undefined };
  if (process.env.REQUIRE_CONSOLE) throw new Error("the server has embedded another console than the one in dist/");
  return serveSite(() => exchange.url);
}

/** Serves the console under /ui/ and forwards /v1 to an exchange. */
async function serveSite(target) {
  const server = createServer((incoming, response) => {
    if (incoming.url.startsWith("/v1/")) return forward(target(), incoming, response);
    const path = new URL(incoming.url, "http://site").pathname;
    if (path === "/") return response.writeHead(307, { Location: "/ui/" }).end();
    const file = fileOf(path);
    if (!file) return response.writeHead(404).end();
    const headers = { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", "Content-Security-Policy": CSP };
    response.writeHead(200, { ...headers, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" });
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(Number(process.env.SITE_PORT ?? 0), "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

/** A path with an extension is a file or nothing; every other one is the console. */
function fileOf(path) {
  if (!path.startsWith("/ui")) return undefined;
  const inside = normalize(path.slice(3));
  if (extname(inside) === "") return join(DIST, "index.html");
  const file = join(DIST, inside);
  return file.startsWith(DIST) && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

function forward(target, incoming, response) {
  const address = new URL(incoming.url, target);
  const { host: _, ...headers } = incoming.headers;
  const outgoing = request(address, { method: incoming.method, headers: { ...headers, host: address.host } }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
