import { expect, test } from "vitest";
import { FrameParser } from "./parse";

test("frames are found wherever a chunk ends", () => {
  const stream = 'retry: 1000\nid: 7\n\n: ping\nid: 8\n\nid: 9\nevent: handoff.held\ndata: {"n":9}\n\n';
  const whole = new FrameParser().push(stream);
  const parser = new FrameParser();
  const single = Array.from(stream).flatMap((character) => parser.push(character));
  expect(whole).toEqual(single);
  expect(whole).toEqual([
    { id: "7", event: "message", data: "" },
    { id: "8", event: "message", data: "" },
    { id: "9", event: "handoff.held", data: '{"n":9}' },
  ]);
});

test("data may have several lines", () => {
  expect(new FrameParser().push("data: a\r\ndata: b\r\n\r\n")).toEqual([{ id: undefined, event: "message", data: "a\nb" }]);
});
