import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The projects in the order in which they run: short files at the end keep all workers busy until the last one. */
const projects = ["process", "browser", "integration", "pglite", "postgres", "unit"]

/** Files that take much longer than their size suggests, longest first. */
const long = [
  "bench/benches.test.ts",
  "test/packages.test.ts",
  "test/process/rotate-keys.test.ts",
  "test/process/start-stop.test.ts",
  "examples/examples.test.ts",
  "test/process/backup.test.ts",
  "test/process/move.test.ts",
  "examples/embed/embed.test.ts",
  "test/process/doctor.test.ts",
  "packages/cli/test/everyday.test.ts",
  "packages/console/test/content.test.ts",
  "packages/console/test/people.test.ts",
  "packages/console/test/operations.test.ts",
  "test/process/crash.test.ts",
  "test/process/lifecycle.test.ts",
  "packages/server/test/infra/work.test.ts",
  "packages/server/test/content/approvals-mutations.test.ts",
  "packages/server/src/infra/adapters/git/code-host-git.test.ts",
  "packages/server/test/agents/workers-runtime.test.ts",
  "packages/server/test/infra/http-changes.test.ts",
  "packages/server/test/infra/http-matrix-2.test.ts",
  "packages/server/test/identity/audit.test.ts",
  "packages/server/test/infra/host-database.test.ts",
  "packages/server/test/content/plan-model.test.ts",
  "packages/server/test/content/sync.test.ts",
  "packages/server/test/content/sync-model.test.ts",
  "packages/server/test/agents/telemetry-analytics.test.ts",
  "packages/server/test/agents/memory-embeddings.test.ts",
  "packages/server/test/content/webhooks-burst.test.ts",
  "test/architecture.test.ts",
  "counterparts/releases.test.ts",
  "counterparts/journey.test.ts",
  "counterparts/adjacent-clients.test.ts",
  "counterparts/claude-code-agents.test.ts",
  "counterparts/mcp/conformance.test.ts"
]

const rank = (list: ReadonlyArray<string>, matches: (entry: string) => boolean) => {
  const index = list.findIndex(matches)
  return index === -1 ? list.length : index
}

/** Starts the longest files of a project first, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const ranked = (await super.sort(files)).map((spec) => ({
      spec,
      project: rank(projects, (name) => spec.project.name === name),
      file: rank(long, (file) => spec.moduleId.endsWith(`/${file}`))
    }))
    return ranked.sort((a, b) => a.project - b.project || a.file - b.file).map(({ spec }) => spec)
  }
}
