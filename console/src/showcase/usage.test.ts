import { expect, test } from "vitest";
import { payloadText, readPayload } from "./payload";
import { usageOf } from "./usage";

const values = { sourceAgent: "a", destinationAgent: "b", goal: 'Say "no"', summary: "s" };
const callbacks = { onAccept: true, onIntercept: false, onCancel: false };

test("the usage of the component has the props that are set, and quotes what JSX would read differently", () => {
  expect(usageOf({ values: { ...values, canIntercept: true }, callbacks, isElement: false })).toBe(
    '<HandoffProtocol\n  sourceAgent="a"\n  destinationAgent="b"\n  goal={"Say \\"no\\""}\n  summary="s"\n  canIntercept\n  onAccept={onAccept}\n/>',
  );
});

test("the usage of the element has attributes in kebab case, and escapes them", () => {
  const payload = [{ label: "Cost & time", value: "1" }];
  expect(usageOf({ values: { ...values, payload, className: "wide" }, callbacks, isElement: true })).toBe(
    '<tasuki-card\n  source-agent="a"\n  destination-agent="b"\n  goal="Say &quot;no&quot;"\n  summary="s"\n  class="wide"\n' +
      '  payload="[{&quot;label&quot;:&quot;Cost &amp; time&quot;,&quot;value&quot;:&quot;1&quot;}]"\n></tasuki-card>',
  );
});

test("a payload is written as lines, and read from them", () => {
  const payload = [
    { label: "Cost", value: "$0.45" },
    { label: "URL", value: "http://example.com" },
  ];
  expect(readPayload(payloadText(payload))).toEqual(payload);
  expect(readPayload("only a label\n\n: only a value")).toEqual([
    { label: "only a label", value: "" },
    { label: "", value: "only a value" },
  ]);
  expect(readPayload("  \n")).toEqual([]);
});
