import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/longest-first.ts"
import { onBothEngines, onlyEmbedded } from "./packages/server/test/engines.ts"

/** A poll ends as soon as its condition holds; the limit has to hold on a busy machine. */
const shared = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } }
const server = "packages/server/test/**/*.test.ts"
/** Tests that start processes: the program, the CLI, the examples, the packages as they are published. */
const processes = [
  "packages/cli/test/**/*.test.ts",
  "test/process/**/*.test.ts",
  "test/{packages,readme}.test.ts",
  "examples/**/*.test.ts",
  "bench/*.test.ts",
  // It replaces node:crypto for the modules it loads.
  "packages/server/src/infra/adapters/saml/forged.test.ts"
]
/** Tests of databases, repositories, sockets and large inputs: they need no server, but more than a moment. */
const integration = [
  "packages/server/src/infra/{adapters,outbound,sql}/**/*.test.ts",
  "packages/server/src/agents/memory/index-repo.test.ts",
  "packages/server/src/agents/memory/ranking.test.ts",
  "packages/server/src/content/connectors/discovery/properties.test.ts",
  "packages/client/test/streams.test.ts"
]
/** Tests of the console in a browser. */
const browser = "packages/console/test/**/*.test.ts"
const never = ["**/node_modules/**", "**/dist/**"]
/**
 * A test of a process uses more than one processor, so more workers take as long and only make each test slower. Other
 * tests also wait for timers and databases.
 */
const afterProcesses = { maxWorkers: 3, sequence: { groupOrder: 1 } }
/** Workers keep their modules between files: loading them again would take longer than most files run. */
const keepModules = { isolate: false }
const eachFile = "packages/server/test/setup/each-file.ts"
const engineCode = "packages/server/test/setup/engine-code.ts"

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          ...keepModules,
          name: "unit",
          ...afterProcesses,
          include: ["packages/*/{src,test}/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [server, browser, ...processes, ...integration, ...never]
        }
      },
      {
        test: {
          ...shared,
          ...keepModules,
          name: "integration",
          ...afterProcesses,
          setupFiles: [engineCode],
          include: integration,
          exclude: [...processes, ...never]
        }
      },
      {
        test: {
          ...shared,
          name: "process",
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          include: processes,
          exclude: never,
          globalSetup: "test/process/setup.ts"
        }
      },
      {
        test: {
          ...shared,
          ...keepModules,
          name: "browser",
          ...afterProcesses,
          setupFiles: [eachFile, engineCode],
          include: [browser],
          globalSetup: ["packages/server/test/setup/pglite.ts", "packages/console/test/setup.ts"]
        }
      },
      {
        test: {
          ...shared,
          ...keepModules,
          name: "postgres",
          ...afterProcesses,
          setupFiles: [eachFile],
          include: [server],
          exclude: onlyEmbedded.map((name) => `packages/server/test/${name}.test.ts`),
          globalSetup: "packages/server/test/setup/postgres.ts"
        }
      },
      {
        test: {
          ...shared,
          ...keepModules,
          name: "pglite",
          ...afterProcesses,
          setupFiles: [eachFile, engineCode],
          include: [...onBothEngines, ...onlyEmbedded].map((name) => `packages/server/test/${name}.test.ts`),
          globalSetup: "packages/server/test/setup/pglite.ts"
        }
      }
    ]
  }
})
