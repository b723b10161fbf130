import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.TASUKI_URL ?? "http://127.0.0.1:7420";

export default defineConfig({
  base: "/ui/",
  plugins: [react(), tailwindcss()],
  // Inlined assets would need `data:` in the content security policy.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: "es2023" },
  server: { proxy: { "/v1": { target: server, changeOrigin: false } } },
  test: { include: ["src/**/*.test.ts"] },
});
