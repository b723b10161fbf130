// A receiver of webhooks that remembers what it got, and answers as it is told.
import { createServer } from "node:http";

export class Hook {
  /** @type {string[]} */
  received = [];
  status = 200;
  #server;

  /** @returns {Promise<string>} the address that the exchange delivers to. */
  async open() {
    this.#server = createServer((request, response) => {
      this.received.push(String(request.headers["webhook-id"]));
      request.resume().on("end", () => response.writeHead(this.status).end("noted"));
    });
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  async close() {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}
