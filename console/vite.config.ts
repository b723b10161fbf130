import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

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

export default defineConfig({
  base: "/ui/",
  plugins: [react(), tailwindcss(), compressed()],
  // Inlined assets would need `data:` in the content security policy.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: "es2023" },
  server: { proxy: { "/v1": { target: server, changeOrigin: false } } },
  test: { include: ["src/**/*.test.ts"] },
});
