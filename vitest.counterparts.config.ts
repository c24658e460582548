import { defineConfig } from "vitest/config"

/** Suites that run programs of other vendors; `pnpm counterparts` installs them first. */
export default defineConfig({
  test: {
    name: "counterparts",
    include: ["counterparts/**/*.test.ts"],
    // The suites start the bundled programs, which may be missing or outdated.
    globalSetup: "test/process/setup.ts",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000
  }
})
