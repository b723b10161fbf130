import type { Choices } from "./Playground";

/** Writes the JSX or HTML that shows the card of the playground. */
export function usageOf({ values, callbacks, isElement }: Choices): string {
  return isElement ? elementUsage(values) : componentUsage(values, callbacks);
}

const NAMES = ["sourceAgent", "destinationAgent", "goal", "summary", "nextRequest", "className"] as const;

function componentUsage(values: Choices["values"], callbacks: Choices["callbacks"]): string {
  const lines = NAMES.filter((name) => values[name]).map((name) => `${name}=${jsxText(values[name] ?? "")}`);
  if (values.payload?.length) lines.push(`payload={${JSON.stringify(values.payload)}}`);
  if (values.canIntercept) lines.push("canIntercept");
  for (const [name, isGiven] of Object.entries(callbacks)) {
    if (isGiven) lines.push(`${name}={${name}}`);
  }
  return `<HandoffProtocol\n${lines.map((line) => `  ${line}\n`).join("")}/>`;
}

/** A text that JSX would read differently in quotes is written as an expression. */
const jsxText = (text: string): string => (/["&{}\n\\]/.test(text) ? `{${JSON.stringify(text)}}` : `"${text}"`);

function elementUsage(values: Choices["values"]): string {
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const lines = NAMES.filter((name) => values[name]).map(
    (name) => `${name === "className" ? "class" : kebab(name)}="${htmlText(values[name] ?? "")}"`,
  );
  if (values.payload?.length) lines.push(`payload="${htmlText(JSON.stringify(values.payload))}"`);
  if (values.canIntercept) lines.push("can-intercept");
  return `<tasuki-card\n${lines.map((line) => `  ${line}\n`).join("")}></tasuki-card>`;
}

const htmlText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
