import { defineConfig } from "vitest/config"

const shared = { testTimeout: 60_000, hookTimeout: 120_000 }
/** Suites of the service itself: they say what the database does, so they run on both engines. */
const onDatabase = ["packages/server/test/**/*.test.ts"]

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["packages/*/{src,test}/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: [...onDatabase, "**/node_modules/**", "**/dist/**"]
        }
      },
      {
        test: {
          ...shared,
          name: "pglite",
          include: onDatabase,
          globalSetup: "packages/server/test/setup/pglite.ts"
        }
      },
      {
        test: {
          ...shared,
          name: "postgres",
          include: onDatabase,
          globalSetup: "packages/server/test/setup/postgres.ts"
        }
      }
    ]
  }
})
