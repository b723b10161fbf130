import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError, send } from "./http";

const answers: Response[] = [];
const fetched = vi.fn(async () => answers.shift() ?? new Response("{}"));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched);
});

afterEach(() => {
  answers.length = 0;
  fetched.mockClear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const tooMany = (seconds: string) =>
  new Response('{"code":"TK-RATE-EXCEEDED","detail":"too many rows"}', { status: 429, headers: { "Retry-After": seconds } });

test("a read that is put off is repeated after the time that the exchange names", async () => {
  answers.push(tooMany("2"), new Response('{"n":1}'));
  const reply = send("GET", "/v1/inbox");
  await vi.advanceTimersByTimeAsync(1999);
  expect(fetched).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await reply).data).toEqual({ n: 1 });
  expect(fetched).toHaveBeenCalledTimes(2);
});

test("a read that is put off again and again is refused after a minute", async () => {
  answers.push(...Array.from({ length: 9 }, () => tooMany("20")));
  const refused = expect(send("GET", "/v1/inbox")).rejects.toThrow(ApiError);
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(fetched).toHaveBeenCalledTimes(4);
});

test("a write that is put off is not repeated", async () => {
  answers.push(tooMany("1"));
  await expect(send("POST", "/v1/handoffs", { body: {} })).rejects.toThrow("too many rows");
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("leaving the page ends the wait", async () => {
  answers.push(tooMany("30"));
  const page = new AbortController();
  const left = expect(send("GET", "/v1/inbox", { signal: page.signal })).rejects.toThrow("aborted");
  await vi.advanceTimersByTimeAsync(10);
  page.abort();
  await left;
  expect(fetched).toHaveBeenCalledTimes(1);
});
