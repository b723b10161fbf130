// One request to the exchange, with its refusals as errors.

import { noteReachable } from "../browser/reachable";
import type { Problem } from "./types";

/** A refusal of the exchange. */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }

  get code(): string {
    return this.problem.code;
  }
}

/** Returns whether the exchange refused because what was decided about is not what it has now. */
export function isChanged(error: Error): boolean {
  return error instanceof ApiError && (error.status === 412 || error.status === 428);
}

/** The exchange did not answer. */
export class OfflineError extends Error {}

export interface Options {
  project?: string | undefined;
  body?: unknown;
  /** The entity tag of what was shown. */
  ifMatch?: string;
  signal?: AbortSignal | undefined;
  /** Returns the body as text, exactly as it was sent. */
  isText?: boolean;
}

export interface Reply<T> {
  data: T;
  etag: string | undefined;
}

/** Operations that take no key: they have no caller yet, or have the same effect when they are repeated. */
const WITHOUT_KEY = /^\/v1\/(sessions|mail-codes|inbox\/ack|subscriptions\/[^/]+\/(test|replay))\b/;

/** How long a read that the exchange puts off is repeated, in milliseconds. */
const PATIENCE = 60_000;

/**
 * Sends one request. A write carries an idempotency key, so the browser may repeat it. A read that the
 * exchange puts off is repeated when it may be.
 */
export async function send<T>(method: string, path: string, options: Options = {}): Promise<Reply<T>> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (options.project) headers["Tasuki-Project"] = options.project;
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (method === "POST" && !WITHOUT_KEY.test(path)) headers["Idempotency-Key"] = randomKey();
  const body = options.body === undefined ? null : JSON.stringify(options.body);
  const request = { method, headers, body, signal: options.signal ?? null, credentials: "same-origin" } as const;
  let response = await answer(path, request);
  for (let waited = 0; method === "GET" && waited < PATIENCE; ) {
    const pause = putOffFor(response);
    if (pause === undefined) break;
    await sleep(pause, options.signal);
    waited += pause;
    response = await answer(path, request);
  }
  if (!response.ok) throw new ApiError(await problemOf(response));
  const data = response.status === 204 ? undefined : await (options.isText ? response.text() : response.json());
  return { data: data as T, etag: response.headers.get("ETag") ?? undefined };
}

async function answer(path: string, request: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, request);
    noteReachable(true);
    return response;
  } catch (error) {
    if (request.signal?.aborted) throw error;
    noteReachable(false);
    throw new OfflineError("The exchange did not answer.");
  }
}

/** Returns for how many milliseconds the exchange puts a request off, if it does. */
function putOffFor(response: Response): number | undefined {
  const seconds = Number(response.headers.get("Retry-After") ?? "0");
  const isPutOff = (response.status === 429 || response.status === 503) && seconds > 0;
  return isPutOff ? seconds * 1000 : undefined;
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

async function problemOf(response: Response): Promise<Problem> {
  const title = response.statusText || String(response.status);
  const fallback = { type: "about:blank", title, status: response.status, detail: title, code: "" };
  try {
    return { ...fallback, ...((await response.json()) as Problem) };
  } catch {
    return fallback;
  }
}

// `crypto.randomUUID` needs a secure context, which a console on a plain address does not have.
function randomKey(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
