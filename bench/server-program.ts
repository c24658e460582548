import { join } from "node:path"

/** The server as sources, or as the bundle that the suite names, which starts in a third of the time. */
export const serverProgram =
  process.env["ORGPLANE_BENCH_SERVER"] ?? join(import.meta.dirname, "../packages/server/src/main.ts")

/** What the processes of a benchmark get from the environment. The first start of a checkout would build the console. */
export const inheritedEnvironment = Object.fromEntries([
  ["ORGPLANE_CONSOLE", "false"] as const,
  ...["PATH", "NODE_COMPILE_CACHE", "ORGPLANE_BENCH_SERVER"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
])
