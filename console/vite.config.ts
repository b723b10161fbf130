import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { registryItem } from "../packages/handoff-protocol/build/registry.mjs";

const card = (file: string) => fileURLToPath(new URL(`../packages/handoff-protocol/src/${file}`, import.meta.url));

const server = process.env.TASUKI_URL ?? "http://127.0.0.1:7420";

/** Writes each script and stylesheet compressed as well, which the server sends to browsers that accept it. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir = "dist" }, bundle) {
      for (const file of Object.values(bundle)) {
        if (!/\.(js|css)$/.test(file.fileName)) continue;
        const content = Buffer.from(file.type === "chunk" ? file.code : file.source);
        writeFileSync(join(dir, `${file.fileName}.gz`), gzipSync(content, { level: 9 }));
        writeFileSync(join(dir, `${file.fileName}.br`), brotliCompressSync(content));
      }
    },
  };
}

/** Writes the card as an item of a registry of components, which the server has at /r/handoff-protocol.json. */
function registry(): Plugin {
  return {
    name: "registry",
    apply: "build",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "r/handoff-protocol.json", source: JSON.stringify(registryItem(), null, 2) });
    },
  };
}

export default defineConfig({
  base: "/ui/",
  plugins: [react(), tailwindcss(), compressed(), registry()],
  // The card is used from its sources, with the React of the console. Its styles are imported into a layer.
  resolve: {
    alias: [
      { find: /^tasuki-handoff-protocol$/, replacement: card("HandoffProtocol.tsx") },
      { find: /^tasuki-handoff-protocol\/(parts|element)$/, replacement: card("$1") },
    ],
    dedupe: ["react", "react-dom"],
  },
  // Inlined assets would need `data:` in the content security policy.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: "es2023" },
  server: { proxy: { "/v1": { target: server, changeOrigin: false } } },
  test: { include: ["src/**/*.test.ts"] },
});
