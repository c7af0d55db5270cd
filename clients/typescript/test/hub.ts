// A hub of its own for a test file, on loopback and with a folder of its own, that can be killed and started again. The
// binary is BATON_TEST_BINARY, or the debug build of this repository.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client, type ClientOptions, type wire } from "baton-hub-client";

export const REPOSITORY = resolve(import.meta.dirname, "../../../..");
export const BINARY = process.env["BATON_TEST_BINARY"] ?? join(REPOSITORY, "target/debug/baton");

const PASSWORD = "correct-horse-battery";
/** A hub that is not up by then, on a machine that does a lot besides, will not be. */
const START_MILLIS = 60_000;

/** Hubs that run: none outlives its test file, also if the runner ends that for taking too long. */
const alive = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});
process.once("SIGTERM", () => process.exit(1));

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export class TestHub {
  readonly url: string;
  readonly folder: string;
  readonly port: number;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  #log = "";
  userToken = "";
  networkId = "";

  private constructor(folder: string, port: number, args: readonly string[], scheme: string) {
    this.folder = folder;
    this.port = port;
    this.url = `${scheme}://127.0.0.1:${port}`;
    this.#args = args;
  }

  static async start(args: readonly string[] = [], scheme = "http"): Promise<TestHub> {
    const folder = await mkdtemp(join(tmpdir(), "baton-ts-"));
    const hub = new TestHub(folder, await freePort(), args, scheme);
    await hub.up();
    return hub;
  }

  /** Starts the process and waits until it answers. */
  async up(): Promise<void> {
    const args = ["hub", "start", "--port", String(this.port), "--data-dir", join(this.folder, "data"), ...this.#args];
    const child = spawn(BINARY, args, {
      env: { PATH: process.env["PATH"] ?? "", HOME: this.folder, BATON_ADMIN_PASSWORD: PASSWORD, BATON_LOG: "warn" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout?.on("data", (data) => this.#keep(data));
    child.stderr?.on("data", (data) => this.#keep(data));
    this.#process = child;
    alive.add(child);
    child.once("exit", () => alive.delete(child));
    const deadline = Date.now() + START_MILLIS;
    while (!this.#log.includes(`listening on ${this.url}`) && !(await this.#answers())) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the hub does not start:\n${this.#log}`);
      await new Promise((done) => setTimeout(done, 20));
    }
    this.#log = "";
    if (this.userToken === "" && this.url.startsWith("http:")) await this.#login();
  }

  #keep(data: unknown): void {
    this.#log = `${this.#log}${data}`.slice(-20_000);
  }

  async #answers(): Promise<boolean> {
    return fetch(`${this.url}/ready`).then(
      (response) => response.ok,
      () => false,
    );
  }

  async #login(): Promise<void> {
    const answer = await this.#post("/api/auth/login", { username: "admin", password: PASSWORD });
    this.userToken = String(answer["token"]);
    this.networkId = String(answer["network_id"]);
  }

  async #post(path: string, body: unknown, token?: string): Promise<Record<string, unknown>> {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${this.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** The admin's client. */
  user(options: Partial<ClientOptions> = {}): Client {
    return new Client({ hub: this.url, token: this.userToken, ...options });
  }

  /** A token for an agent. */
  async token(alias: string): Promise<string> {
    const asked = { network_id: this.networkId, node_name: alias };
    return String((await this.#post("/api/auth/node-token", asked, this.userToken))["token"]);
  }

  /** An agent's client. */
  async node(alias: string, options: Partial<ClientOptions> = {}): Promise<Client> {
    return new Client({ hub: this.url, token: await this.token(alias), ...options });
  }

  async task(taskId: string): Promise<wire.Task> {
    return (await this.user().get(taskId)).task;
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the hub and removes its folder. */
  async stop(): Promise<void> {
    await this.#end("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

/** Waits for a condition, with an end. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 15));
  }
}

/** A promise and what settles it. */
export class Gate<T = void> {
  readonly promise: Promise<T>;
  open!: (value: T) => void;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
