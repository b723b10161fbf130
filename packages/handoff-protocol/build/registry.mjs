// The component as an item of a shadcn registry, which the server has at /r/handoff-protocol.json.
import { componentFiles, FOLDER } from "../bin/files.mjs";

/** Returns the item: what it is, and its files with their content. */
export const registryItem = () => ({
  $schema: "https://ui.shadcn.com/schema/registry-item.json",
  name: "handoff-protocol",
  type: "registry:component",
  title: "Handoff Protocol",
  description: "Shows work that passes between two agents, or an agent and a person, as a card to be read.",
  files: componentFiles().map(({ name, content }) => ({
    path: `components/${FOLDER}/${name}`,
    target: `components/${FOLDER}/${name}`,
    type: "registry:component",
    content,
  })),
});
