import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/longest-first.ts"

/** A poll ends as soon as its condition holds; the limits have to hold on a busy machine. */
const shared = { testTimeout: 300_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } }
const release = "counterparts/release.test.ts"

/** Suites that run programs of other vendors; `pnpm counterparts` installs them first. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: "counterparts",
          // The suites start the bundled programs, which may be missing or outdated.
          globalSetup: "test/process/setup.ts",
          include: ["counterparts/**/*.test.ts"],
          exclude: ["**/node_modules/**", release],
          sequence: { groupOrder: 0 }
        }
      },
      // The first of this suite and the journey of a new user builds the packages in place, so they do not run together.
      { test: { ...shared, name: "release", include: [release], sequence: { groupOrder: 1 } } }
    ]
  }
})
