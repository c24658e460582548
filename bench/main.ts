import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { stepAside } from "./harness.ts"
import { candidates, compare, doubts, type Name, table, works } from "./http/compare.ts"
import { coldImport } from "./import.ts"
import { ingestBench, ingestWorks } from "./ingest.ts"
import { mcpBench } from "./mcp.ts"
import { soakOfGrants } from "./grants-soak.ts"
import { scaleOfGrants } from "./scale-grants.ts"
import { soakOfSyncs } from "./sync-soak.ts"

const usage = `pnpm bench [http] [--only bare,fastify,hono,orgplane] [--work health,"one plugin"] [--processes 3]
           [--slices 6] [--seconds 1] [--warm 20000] [--connections 32]
pnpm bench grants [--organizations 1000] [--runs 200] [--plans]
pnpm bench soak [--seed 1] [--decisions 100000]
pnpm bench soak-syncs [--seed 1] [--minutes 5 | --rounds 10]
pnpm bench ingest [--only bare,orgplane] [--work "50 events, durable"] [--processes 3] [--slices 6]
pnpm bench soak-ingest [--seed 1] [--minutes 5] [--clients 8]
pnpm bench import [--plugins 2000] [--files 10]
pnpm bench mcp [--at-once 200] [--organizations 20] [--calls 40]`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    work: { type: "string" },
    processes: { type: "string", default: "3" },
    slices: { type: "string", default: "6" },
    seconds: { type: "string", default: "1" },
    warm: { type: "string", default: "20000" },
    connections: { type: "string", default: "32" },
    organizations: { type: "string" },
    "at-once": { type: "string", default: "200" },
    calls: { type: "string", default: "40" },
    runs: { type: "string", default: "200" },
    plans: { type: "boolean", default: false },
    seed: { type: "string" },
    decisions: { type: "string", default: "100000" },
    minutes: { type: "string", default: "5" },
    rounds: { type: "string" },
    plugins: { type: "string", default: "2000" },
    files: { type: "string", default: "10" }
  }
})

const names = (values.only?.split(",") ?? candidates.map(({ name }) => name)).filter((name): name is Name =>
  candidates.some((candidate) => candidate.name === name)
)
const isChosen = ({ name }: { readonly name: string }) =>
  values.work === undefined || values.work.split(";").includes(name) || values.work.split(",").includes(name)
const effort = {
  processes: Number(values.processes),
  slices: Number(values.slices),
  seconds: Number(values.seconds),
  warmRequests: Number(values.warm),
  connections: Number(values.connections)
}

const comparisons = {
  http: async () => {
    const result = await compare(names, works.filter(isChosen), effort)
    return [table(result), ...doubts(result)].join("\n\n")
  },
  grants: () =>
    scaleOfGrants({
      organizations: Number(values.organizations ?? "1000"),
      runs: Number(values.runs),
      plans: values.plans
    }),
  soak: () => soakOfGrants(Number(values.seed ?? randomInt(2 ** 31)), Number(values.decisions)),
  "soak-syncs": () =>
    soakOfSyncs({
      seed: Number(values.seed ?? randomInt(2 ** 31)),
      minutes: Number(values.minutes),
      rounds: values.rounds === undefined ? undefined : Number(values.rounds)
    }),
  import: () => coldImport({ plugins: Number(values.plugins), files: Number(values.files) }),
  ingest: () => ingestBench(names, ingestWorks.filter(isChosen), effort),
  mcp: () =>
    mcpBench({
      atOnce: Number(values["at-once"]),
      organizations: Number(values.organizations ?? "20"),
      calls: Number(values.calls)
    })
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
