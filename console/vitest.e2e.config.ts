import { defineConfig } from "vitest/config";

export default defineConfig({
  // Two browsers at a time keep two cores busy; more of them only wait for each other.
  test: { include: ["e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 120_000, maxWorkers: 2 },
});
