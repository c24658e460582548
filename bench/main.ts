import { parseArgs } from "node:util"
import { stepAside } from "./harness.ts"
import { candidates, compare, doubts, type Name, table, works } from "./http/compare.ts"

const usage = `pnpm bench [http] [--only bare,fastify,hono,orgplane] [--work health,"one plugin"] [--processes 3]
           [--slices 6] [--seconds 1] [--warm 20000] [--connections 32]`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    work: { type: "string" },
    processes: { type: "string", default: "3" },
    slices: { type: "string", default: "6" },
    seconds: { type: "string", default: "1" },
    warm: { type: "string", default: "20000" },
    connections: { type: "string", default: "32" }
  }
})

const comparisons = {
  http: async () => {
    const names = values.only?.split(",") ?? candidates.map(({ name }) => name)
    const chosen = works.filter(({ name }) => values.work === undefined || values.work.split(",").includes(name))
    const result = await compare(
      names.filter((name): name is Name => candidates.some((candidate) => candidate.name === name)),
      chosen,
      {
        processes: Number(values.processes),
        slices: Number(values.slices),
        seconds: Number(values.seconds),
        warmRequests: Number(values.warm),
        connections: Number(values.connections)
      }
    )
    return [table(result), ...doubts(result)].join("\n\n")
  }
}

const chosen = positionals.length === 0 ? Object.keys(comparisons) : positionals
const unknown = chosen.filter((name) => !Object.hasOwn(comparisons, name))
if (unknown.length > 0) {
  process.stderr.write(`There is no comparison ${unknown.join(", ")}.\n${usage}\n`)
  process.exit(2)
}
const isPinned = stepAside()
if (!isPinned) process.stderr.write("Nothing is pinned to a core here: the figures will wander.\n")
for (const name of chosen) {
  process.stdout.write(`${await comparisons[name as keyof typeof comparisons]()}\n`)
}
