import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { stepAside } from "./harness.ts"
import { candidates, compare, doubts, type Name, table, works } from "./http/compare.ts"

const usage = `pnpm bench [http] [--only bare,fastify,hono,orgplane] [--work health,"one plugin"] [--processes 3]
           [--slices 6] [--seconds 1] [--warm 20000] [--connections 32]
pnpm bench http --only orgplane --work "one plugin" --profile one-plugin.cpuprofile
pnpm bench grants [--organizations 1000] [--large-members 100000] [--runs 200] [--plans]
pnpm bench soak [--seed 1] [--decisions 100000]
pnpm bench migrate [--rows 10000000]
pnpm bench move [--rows 10000000]
pnpm bench soak-filters [--seed 1] [--count 100000]
pnpm bench soak-syncs [--seed 1] [--minutes 5 | --rounds 10] [--files 25] [--steps 16] [--kills 3]
pnpm bench ingest [--only bare,orgplane] [--work "50 events, durable"] [--processes 3] [--slices 4]
pnpm bench soak-ingest [--seed 1] [--minutes 5 | --kills 4] [--clients 8]
pnpm bench import [--plugins 2000] [--files 10] [--pushes 10] [--deliveries 300]
pnpm bench mcp [--at-once 200] [--organizations 20] [--calls 40]
pnpm bench policies [--few 10] [--many 1000] [--members 1000] [--asks 2000] [--turns 10]
pnpm bench desired-state [--devices 3000] [--plugins 20] [--settle 15]
pnpm bench memory [--memories 1000000] [--users 10000] [--own 10000] [--runs 200] [--plans]
pnpm bench memory-quality [--queries 20] [--misses]
pnpm bench analytics [--events 10000000] [--members 2000] [--days 90] [--rounds 20]
pnpm bench scim [--users 100000] [--groups 5000] [--few 1000] [--asks 400] [--members 8000] [--provisioned 10000] [--rounds 3]
           [--warm 1000] [--connections 32]
pnpm bench lock-out [--users 50] [--asks 20] [--at-once 8]
pnpm bench cost [--operation templates] [--stall 250] [--seed 1] [--minutes 10]
pnpm bench events [--events 20000] [--endpoints 100] [--backlog 1000000] [--rounds 5]
                  [--work sealing,writing,backlog,webhooks,latency]
pnpm bench fairness [--dimensions 100000] [--audit-events 50000] [--at-once 60] [--asks 200]
pnpm bench llm [--providers 100] [--models 20] [--calls 40]
pnpm bench rollouts [--seed 1] [--rollouts 10000]
pnpm bench start [--rounds 5] [--settle 15] [--idle 30]
pnpm bench cli [--runs 200]
pnpm bench console [--members 50000] [--rounds 9]
pnpm bench revocation [--rounds 50] [--disturbed 5]`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    operation: { type: "string" },
    stall: { type: "string", default: "250" },
    work: { type: "string" },
    profile: { type: "string" },
    processes: { type: "string", default: "3" },
    slices: { type: "string" },
    seconds: { type: "string", default: "1" },
    warm: { type: "string" },
    connections: { type: "string", default: "32" },
    organizations: { type: "string" },
    "large-members": { type: "string", default: "100000" },
    "at-once": { type: "string" },
    dimensions: { type: "string", default: "100000" },
    "audit-events": { type: "string", default: "50000" },
    calls: { type: "string", default: "40" },
    backlog: { type: "string", default: "1000000" },
    endpoints: { type: "string", default: "100" },
    runs: { type: "string", default: "200" },
    settle: { type: "string", default: "15" },
    idle: { type: "string", default: "30" },
    plans: { type: "boolean", default: false },
    seed: { type: "string" },
    count: { type: "string", default: "100000" },
    decisions: { type: "string", default: "100000" },
    minutes: { type: "string" },
    rounds: { type: "string" },
    events: { type: "string", default: "10000000" },
    days: { type: "string", default: "90" },
    clients: { type: "string", default: "8" },
    plugins: { type: "string" },
    files: { type: "string" },
    pushes: { type: "string", default: "10" },
    deliveries: { type: "string", default: "300" },
    steps: { type: "string", default: "16" },
    kills: { type: "string" },
    queries: { type: "string" },
    devices: { type: "string", default: "3000" },
    disturbed: { type: "string", default: "5" },
    few: { type: "string" },
    groups: { type: "string", default: "5000" },
    provisioned: { type: "string", default: "10000" },
    many: { type: "string", default: "1000" },
    members: { type: "string" },
    asks: { type: "string" },
    turns: { type: "string", default: "10" },
    memories: { type: "string", default: "1000000" },
    users: { type: "string" },
    own: { type: "string", default: "10000" },
    misses: { type: "boolean", default: false },
    providers: { type: "string", default: "100" },
    models: { type: "string", default: "20" },
    rows: { type: "string", default: "10000000" },
    rollouts: { type: "string", default: "10000" }
  }
})

const names = (values.only?.split(",") ?? candidates.map(({ name }) => name)).filter((name): name is Name =>
  candidates.some((candidate) => candidate.name === name)
)
const isChosen = ({ name }: { readonly name: string }) =>
  values.work === undefined || values.work.split(";").includes(name) || values.work.split(",").includes(name)
const effort = {
  processes: Number(values.processes),
  slices: Number(values.slices ?? 6),
  seconds: Number(values.seconds),
  warmRequests: Number(values.warm ?? 20_000),
  connections: Number(values.connections)
}

/** Durable writes are slow, so fewer slices: a run takes under five minutes. */
const durable = { ...effort, slices: Number(values.slices ?? 4), warmSeconds: 8 }

const profileOf = async (file: string) => {
  const [candidate, ...otherCandidates] = candidates.filter(({ name }) => names.includes(name))
  const [work, ...otherWorks] = works.filter(isChosen)
  if (candidate === undefined || work === undefined || otherCandidates.length > 0 || otherWorks.length > 0) {
    process.stderr.write(`--profile requires one server (--only) and one kind of request (--work).\n${usage}\n`)
    process.exit(2)
  }
  return (await import("./http/profile.ts")).profileOf(candidate, work, effort, file)
}

/** Each loads only its own modules. */
const comparisons = {
  http: async () => {
    if (values.profile !== undefined) return profileOf(values.profile)
    const result = await compare(names, works.filter(isChosen), effort)
    return [table(result), ...doubts(result)].join("\n\n")
  },
  events: async () =>
    (await import("./events.ts")).eventsBench({
      // The option belongs to another benchmark too, whose default is higher.
      events: values.events === "10000000" ? 20_000 : Number(values.events),
      backlog: Number(values.backlog),
      endpoints: Number(values.endpoints),
      rounds: Number(values.rounds ?? "5"),
      work: values.work?.split(",")
    }),
  grants: async () =>
    (await import("./scale-grants.ts")).scaleOfGrants({
      organizations: Number(values.organizations ?? "1000"),
      largeMembers: Number(values["large-members"]),
      runs: Number(values.runs),
      plans: values.plans
    }),
  soak: async () =>
    (await import("./grants-soak.ts")).soakOfGrants(
      Number(values.seed ?? randomInt(2 ** 31)),
      Number(values.decisions)
    ),
  migrate: async () => (await import("./migrate.ts")).benchMigrate(Number(values.rows)),
  move: async () => (await import("./move.ts")).benchMove(Number(values.rows)),
  "soak-filters": async () =>
    (await import("./filters-soak.ts")).soakOfFilters(Number(values.seed ?? randomInt(2 ** 31)), Number(values.count)),
  "soak-syncs": async () =>
    (await import("./sync-soak.ts")).soakOfSyncs({
      seed: Number(values.seed ?? randomInt(2 ** 31)),
      minutes: Number(values.minutes ?? "5"),
      rounds: values.rounds === undefined ? undefined : Number(values.rounds),
      files: Number(values.files ?? "25"),
      steps: Number(values.steps),
      kills: Number(values.kills ?? "3")
    }),
  "soak-ingest": async () =>
    (await import("./ingest-soak.ts")).soakOfIngest({
      seed: Number(values.seed ?? randomInt(2 ** 31)),
      minutes: Number(values.minutes ?? "5"),
      kills: values.kills === undefined ? undefined : Number(values.kills),
      clients: Number(values.clients)
    }),
  import: async () =>
    (await import("./import.ts")).coldImport({
      plugins: Number(values.plugins ?? "2000"),
      files: Number(values.files ?? "10"),
      pushes: Number(values.pushes),
      deliveries: Number(values.deliveries)
    }),
  analytics: async () =>
    (await import("./analytics.ts")).analyticsBench({
      events: Number(values.events),
      members: Number(values.members ?? "2000"),
      days: Number(values.days),
      rounds: Number(values.rounds ?? "20")
    }),
  cost: async () =>
    (await import("./cost.ts")).costBench({
      only: values.operation,
      stallMax: Number(values.stall),
      seed: Number(values.seed ?? randomInt(2 ** 31)),
      minutes: Number(values.minutes ?? "10")
    }),
  ingest: async () => {
    const { ingestBench, ingestWorks } = await import("./ingest.ts")
    return ingestBench(names, ingestWorks.filter(isChosen), durable)
  },
  "lock-out": async () =>
    (await import("./lock-out.ts")).lockOutBench({
      users: Number(values.users ?? "50"),
      asks: Number(values.asks ?? "20"),
      atOnce: Number(values["at-once"] ?? "8")
    }),
  mcp: async () =>
    (await import("./mcp.ts")).mcpBench({
      atOnce: Number(values["at-once"] ?? "200"),
      organizations: Number(values.organizations ?? "20"),
      calls: Number(values.calls)
    }),
  fairness: async () =>
    (await import("./fairness.ts")).fairnessBench({
      dimensions: Number(values.dimensions),
      events: Number(values["audit-events"]),
      atOnce: Number(values["at-once"] ?? "60"),
      asks: Number(values.asks ?? "200")
    }),
  policies: async () =>
    (await import("./policies.ts")).policiesBench({
      few: Number(values.few ?? "10"),
      many: Number(values.many),
      members: Number(values.members ?? "1000"),
      asks: Number(values.asks ?? "2000"),
      rounds: Number(values.turns)
    }),
  "desired-state": async () =>
    (await import("./desired-state.ts")).desiredState({
      devices: Number(values.devices),
      plugins: Number(values.plugins ?? "20"),
      idle: Number(values.settle)
    }),
  memory: async () =>
    (await import("./memory.ts")).memoryBench({
      memories: Number(values.memories),
      users: Number(values.users ?? "10000"),
      own: Number(values.own),
      runs: Number(values.runs),
      plans: values.plans
    }),
  "memory-quality": async () =>
    (await import("./memory-quality.ts")).memoryQuality({
      queries: values.queries === undefined ? Number.POSITIVE_INFINITY : Number(values.queries),
      misses: values.misses
    }),
  scim: async () =>
    (await import("./scim.ts")).scimBench({
      users: Number(values.users ?? "100000"),
      groups: Number(values.groups),
      few: Number(values.few ?? "1000"),
      asks: Number(values.asks ?? "400"),
      members: Number(values.members ?? "8000"),
      provisioned: Number(values.provisioned),
      rounds: Number(values.rounds ?? "3"),
      warm: Number(values.warm ?? "1000"),
      connections: Number(values.connections)
    }),
  llm: async () =>
    (await import("./llm.ts")).llmBench({
      providers: Number(values.providers),
      models: Number(values.models),
      calls: Number(values.calls)
    }),
  rollouts: async () =>
    (await import("./rollouts.ts")).rolloutsBench({
      seed: Number(values.seed ?? randomInt(2 ** 31)),
      rollouts: Number(values.rollouts)
    }),
  start: async () =>
    (await import("./start.ts")).startBench({
      rounds: Number(values.rounds ?? "5"),
      settleSeconds: Number(values.settle),
      idleSeconds: Number(values.idle)
    }),
  console: async () =>
    (await import("./console.ts")).consoleBench({
      members: Number(values.members ?? "50000"),
      rounds: Number(values.rounds ?? "9")
    }),
  cli: async () => (await import("./cli.ts")).cliBench({ runs: Number(values.runs) }),
  revocation: async () =>
    (await import("./revocation.ts")).revocationBench({
      rounds: Number(values.rounds ?? "50"),
      disturbed: Number(values.disturbed)
    })
}

const chosen = positionals.length === 0 ? Object.keys(comparisons) : positionals
const unknown = chosen.filter((name) => !Object.hasOwn(comparisons, name))
if (unknown.length > 0) {
  process.stderr.write(`Unknown benchmark: ${unknown.join(", ")}.\n${usage}\n`)
  process.exit(2)
}
const isPinned = stepAside()
if (!isPinned && process.env["ORGPLANE_BENCH_PIN"] !== "no")
  process.stderr.write("Processes are not pinned to cores, so the results will vary.\n")
for (const name of chosen) {
  process.stdout.write(`${await comparisons[name as keyof typeof comparisons]()}\n`)
}
