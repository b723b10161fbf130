import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two browsers at a time keep two cores busy; more of them only wait for each other.
    maxWorkers: 2,
    // A page on a busy machine takes longer than the second that is the default.
    expect: { poll: { timeout: 10_000 } },
  },
});
