// The sources that make up the component `handoff-protocol`, for installs that copy them.
import { readFileSync } from "node:fs";

/** The folder of the component, below the folder of components of an app. */
export const FOLDER = "HandoffProtocol";

const NAMES = ["index.ts", "HandoffProtocol.tsx", "HandoffCard.tsx", "Sash.tsx", "Text.tsx", "characters.ts", "handoff-protocol.css"];

/** Returns the name and the content of each file. */
export const componentFiles = () =>
  NAMES.map((name) => ({ name, content: readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8") }));
