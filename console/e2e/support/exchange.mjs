// A throwaway exchange for the browser tests: a store in a temporary directory and a server on a free port.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const TASUKI = process.env.TASUKI ?? "tasuki";
/** LIMIT: the number of requests in one batch. */
const BATCH = 250;
export const PASSWORD = "correct horse battery";

export class Exchange {
  #server;
  #introducer;
  #mailbox;
  /** True if the server takes work as fast as it comes. */
  isUnlimited = false;
  /** Origins that webhooks may reach although they are on this machine.
   * @type {string[]} */
  webhooks = [];

  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "tasuki-console-"));
    this.cli("ana", "init");
  }

  /** Runs a command as a party and returns its standard output. */
  cli(party, ...args) {
    const result = spawnSync(TASUKI, args, {
      cwd: this.directory,
      encoding: "utf8",
      env: { ...process.env, TASUKI_AS: party, NO_COLOR: "1" },
    });
    if (result.status !== 0) throw new Error(`tasuki ${args.join(" ")} as ${party}: ${result.stderr}`);
    return result.stdout;
  }

  /** Runs a decision of a person, who types the password at a terminal. */
  decide(person, ...args) {
    this.#type(person, args, 1);
  }

  /** Runs a command at a terminal, where the password is typed a number of times. */
  #type(party, args, times) {
    const quoted = [TASUKI, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const result = spawnSync("script", ["-qec", quoted.join(" "), "/dev/null"], {
      cwd: this.directory,
      input: `${PASSWORD}\n`.repeat(times),
      encoding: "utf8",
      env: { ...process.env, TASUKI_AS: party, NO_COLOR: "1" },
    });
    if (result.status !== 0) throw new Error(`tasuki ${args.join(" ")} as ${party}: ${result.stdout}${result.stderr}`);
  }

  /** Runs a command whose last argument is a document. */
  cliWith(party, document, ...args) {
    const file = join(this.directory, "document.json");
    writeFileSync(file, JSON.stringify(document));
    return this.cli(party, ...args, file);
  }

  /** Asks for approval of an action, and leaves the request open. */
  request(party, task, action) {
    const file = join(this.directory, "action.json");
    writeFileSync(file, JSON.stringify(action));
    const line = ["request-approval", "--action-file", file, "--task", task];
    const result = spawnSync(TASUKI, [...line, "--timeout", "0s", "--leave"], {
      cwd: this.directory,
      encoding: "utf8",
      env: { ...process.env, TASUKI_AS: party, NO_COLOR: "1" },
    });
    // 20: no one has decided yet.
    if (result.status !== 20) throw new Error(`request-approval: ${result.stdout}${result.stderr}`);
  }

  /** Submits a packet and returns the id of its handoff. */
  submit(packet, ...flags) {
    const line = this.cliWith(packet.from_agent, packet, "submit", "--json", ...flags);
    return JSON.parse(line).handoff.id;
  }

  /** Adds a person with the password of the tests, which the tool reads from a terminal only. Once there
   * is one person, they introduce the next one with their password. */
  person(name) {
    const introducer = this.#introducer;
    this.#introducer ??= name;
    this.#type(introducer ?? name, ["party", "add", name, "--human"], introducer ? 3 : 2);
  }

  /** Has the server mail people at a mail server, and gives one of them an address. */
  mailsTo(mailbox, person) {
    this.#mailbox = mailbox;
    this.#type(person, ["party", "add", person, "--human", "--email", `${person}@example.org`], 3);
  }

  /** Lets webhooks reach origins on this machine. */
  allowWebhooks(origins) {
    this.webhooks = origins;
    this.#configure();
  }

  #configure() {
    // Before the server starts its port is not known, and nothing follows a link yet.
    const lines = ["[server]", `public_url = "${this.url ?? "http://127.0.0.1"}"`];
    if (this.isUnlimited) lines.push("requests_per_token = 0", "requests_per_project = 0");
    if (this.webhooks.length > 0) lines.push(`webhook_origins = ${JSON.stringify(this.webhooks)}`);
    if (this.#mailbox) lines.push("[server.mail]", 'host = "127.0.0.1"', `port = ${this.#mailbox.port}`, 'from = "tasuki@example.org"', 'tls = "none"');
    writeFileSync(join(this.directory, "tasuki.toml"), `${lines.join("\n")}\n`);
  }

  /** Submits many packets of one sender, and returns the ids of their handoffs in the order of the packets. */
  async submitAll(packets) {
    const token = this.cli(packets[0].from_agent, "token", "create").trim();
    const ids = [];
    for (let at = 0; at < packets.length; at += BATCH) {
      const requests = packets.slice(at, at + BATCH).map((body) => ({ method: "POST", path: "/v1/handoffs", body }));
      const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
      const response = await fetch(`${this.url}/v1/batch`, { method: "POST", headers, body: JSON.stringify({ requests }) });
      const { answers } = await response.json();
      for (const { body } of answers) ids.push(body.handoff.id);
    }
    return ids;
  }

  /** Adds a project in which the people of this exchange and some agents work. Setting the password again ends the
   * sessions of these people. */
  project(name, people, agents) {
    this.cli(people[0], "init", "--project", name);
    for (const one of people) this.#type(one, ["party", "add", one, "--human", "--project", name], 3);
    for (const agent of agents) this.cli(people[0], "party", "add", agent, "--project", name);
  }

  /** Starts the server. Its address is in `url`, and the code of its sign-in link, if it prints one, in `code`. */
  async serve(port) {
    this.port = port ?? this.port ?? (await freePort());
    this.url = `http://127.0.0.1:${this.port}`;
    this.#configure();
    const server = spawn(TASUKI, ["serve", "--listen", `127.0.0.1:${this.port}`], {
      cwd: this.directory,
      env: { ...process.env, USER: "ana", TASUKI_OPERATORS: "ana", TASUKI_LOG: "warn" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#server = server;
    let said = "";
    await new Promise((resolve, reject) => {
      const read = (chunk) => {
        said += chunk;
        if (!said.includes("Next: tasuki token") && !/Metrics .*\n/.test(said)) return;
        this.code = /welcome\?t=(\w+)/.exec(said)?.[1];
        resolve();
      };
      server.stdout.on("data", read);
      server.stderr.on("data", read);
      server.once("exit", () => reject(new Error(`the server ended: ${said}`)));
    });
  }

  async stop() {
    const server = this.#server;
    if (!server || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }

  async remove() {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
