import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Another React to test with: a folder of node_modules. `scripts/check-card` names one of each version. */
const react = process.env.REACT_FROM ? resolve(process.env.REACT_FROM) : here("node_modules");
/** Another form of the component to test: a copy that `add` wrote, or the built package. */
const component = process.env.COMPONENT ? resolve(process.env.COMPONENT) : here("src/index.ts");

export default defineConfig({
  resolve: {
    alias: [
      { find: "@/components/HandoffProtocol", replacement: component },
      { find: /^react$/, replacement: resolve(react, "react/index.js") },
      { find: /^react\/jsx-(dev-)?runtime$/, replacement: resolve(react, "react/jsx-$1runtime.js") },
      { find: /^react-dom\/client$/, replacement: resolve(react, "react-dom/client.js") },
      { find: /^react-dom\/server$/, replacement: resolve(react, "react-dom/server.node.js") },
    ],
  },
  test: { include: ["test/**/*.test.{ts,tsx}"], environment: "happy-dom" },
});
