/** Runs every benchmark to completion at its smallest size. Does not check the results. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { compileCache } from "../test/compile-cache.ts"
import { serverProgram } from "../test/programs.ts"
import { temporaryParent } from "../test/temporary-parent.ts"

type Options = readonly [name: string, ...options: ReadonlyArray<string>]

const smallest: ReadonlyArray<Options> = [
  ["http", "--processes", "1", "--slices", "1", "--seconds", "0.05", "--warm", "50", "--connections", "2"],
  ["ingest", "--processes", "1", "--slices", "1", "--seconds", "0.05", "--warm", "5", "--connections", "2"],
  ["grants", "--organizations", "1", "--large-members", "100", "--runs", "1"],
  ["migrate", "--rows", "2000"],
  ["move", "--rows", "2000"],
  ["soak", "--seed", "1", "--decisions", "200"],
  ["soak-filters", "--seed", "1", "--count", "200"],
  ["analytics", "--events", "2000", "--members", "20", "--days", "3", "--rounds", "1"],
  ["cost", "--operation", "teams", "--minutes", "0.1", "--seed", "1"],
  ["lock-out", "--users", "1", "--asks", "1", "--at-once", "1"],
  ["mcp", "--at-once", "2", "--organizations", "2", "--calls", "2"],
  ["events", "--events", "10", "--endpoints", "10", "--backlog", "200", "--rounds", "1"],
  ["fairness", "--dimensions", "200", "--audit-events", "200", "--at-once", "2", "--asks", "5"],
  ["policies", "--few", "2", "--many", "5", "--members", "5", "--asks", "5", "--turns", "1"],
  ["desired-state", "--devices", "3", "--plugins", "1", "--settle", "0"],
  ["memory", "--memories", "200", "--users", "5", "--own", "10", "--runs", "2"],
  ["llm", "--providers", "2", "--models", "2", "--calls", "2"],
  [
    "scim",
    ...["--users", "20", "--groups", "4", "--few", "10", "--asks", "2", "--members", "10", "--rounds", "1"],
    ...["--provisioned", "20", "--warm", "10", "--connections", "2"]
  ],
  ["cli", "--runs", "1"],
  ["console", "--members", "60", "--rounds", "2"],
  ["start", "--rounds", "1", "--settle", "0", "--idle", "1"],
  ["soak-ingest", "--seed", "1", "--kills", "2", "--clients", "2"],
  ["memory-quality", "--queries", "5"],
  ["rollouts", "--seed", "1", "--rollouts", "20"]
]

/** These mostly wait, so they run beside the others. */
const waiting: ReadonlyArray<Options> = [
  ["revocation", "--rounds", "1", "--disturbed", "1"],
  ["import", "--plugins", "2", "--files", "2", "--pushes", "1", "--deliveries", "5"],
  ["soak-syncs", "--seed", "1", "--rounds", "1", "--files", "5", "--steps", "3", "--kills", "1"]
]

const temporaryFolder = await temporaryParent()

const runs = (options: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...options], {
      // Durable databases are as fast as others on a file system in memory.
      env: {
        ...process.env,
        ...compileCache,
        TMPDIR: temporaryFolder,
        ORGPLANE_BENCH_PIN: "no",
        ORGPLANE_BENCH_ROWS: "few",
        ORGPLANE_BENCH_SERVER: serverProgram
      },
      stdio: "pipe"
    })
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => (stdout += String(chunk)))
    child.stderr.on("data", (chunk: Buffer) => (stderr += String(chunk)))
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })

const runsToItsEnd = async (...options: Options) => {
  const { code, stderr, stdout } = await runs(options)
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/\d/)
}

let last: Promise<unknown> = Promise.resolve()
/** Runs a benchmark after those before it, because each keeps a processor busy. */
const runsInTurn = (...options: Options) => {
  const result = last.then(() => runsToItsEnd(...options))
  last = result.catch(() => {})
  return result
}

describe("pnpm bench", () => {
  it.concurrent.each(waiting)("%s runs to completion and prints its results", { timeout: 600_000 }, runsToItsEnd)
  it.concurrent.each(smallest)("%s runs to completion and prints its results", { timeout: 600_000 }, runsInTurn)
  it.concurrent(
    "http profiles one kind of request and prints the functions with the most self time",
    { timeout: 600_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "orgplane-profile-"))
      const effort = ["--slices", "1", "--seconds", "0.05", "--warm", "50", "--connections", "2"]
      try {
        const file = join(folder, "me.cpuprofile")
        await runsInTurn("http", "--only", "bare", "--work", "me", "--profile", file, ...effort)
        expect(existsSync(file)).toBe(true)
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
  )
})
