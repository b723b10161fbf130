// A mail server on this machine that keeps what it receives.
import { createServer } from "node:net";

/**
 * @typedef {object} Mail
 * @property {string} to
 * @property {string} text
 */

export class Mailbox {
  /** @type {Mail[]} */
  mails = [];
  #server;

  /** Listens on a free port, which is in `port`. */
  async open() {
    this.#server = createServer((socket) => this.#serve(socket));
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.port = this.#server.address().port;
    return this;
  }

  /** Waits for a mail that contains a text.
   * @returns {Promise<Mail>} */
  async about(text) {
    for (let tries = 0; tries < 200; tries += 1) {
      const found = this.mails.find((mail) => mail.text.includes(text));
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`no mail about ${text}: ${JSON.stringify(this.mails)}`);
  }

  async close() {
    if (this.#server) await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket) {
    let [rest, to, body] = ["", "", undefined];
    const answer = (line) => socket.write(`${line}\r\n`);
    const take = (line) => {
      if (body !== undefined) {
        if (line !== ".") return body.push(line);
        this.mails.push({ to, text: textOf(body) });
        body = undefined;
        return answer("250 kept");
      }
      const [, recipient] = /^RCPT TO:<(.*?)>/i.exec(line) ?? [];
      if (recipient !== undefined) to = recipient;
      if (/^DATA$/i.test(line)) {
        body = [];
        return answer("354 go on");
      }
      if (!/^QUIT$/i.test(line)) return answer("250 fine");
      answer("221 bye");
      socket.end();
    };
    socket.setEncoding("utf8").on("error", () => undefined);
    socket.on("data", (chunk) => {
      const lines = (rest + chunk).split("\r\n");
      rest = lines.pop();
      lines.forEach(take);
    });
    answer("220 mailbox");
  }
}

/** Returns the text of a message, which the exchange sends in base64. */
function textOf(lines) {
  const body = lines.slice(lines.indexOf("") + 1).join("");
  return Buffer.from(body, "base64").toString("utf8");
}
