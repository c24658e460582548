/** Compares the decisions of the server's SQL with those of a model. */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as explain from "../../src/identity/access/explain-repo.ts"
import * as objects from "../../src/content/config-objects/repo.ts"
import * as connectors from "../../src/content/connectors/repo.ts"
import { type GrantedKind, type PageBounds, pageOfVisible } from "../../src/identity/grants/index.ts"
import * as providers from "../../src/agents/llm-providers/repo.ts"
import * as marketplaces from "../../src/content/marketplaces/repo.ts"
import * as connections from "../../src/agents/mcp-connections/repo.ts"
import * as plugins from "../../src/content/plugins/repo.ts"
import type { Sql } from "../../src/infra/sql/client.ts"
import * as library from "../../src/identity/users/library-repo.ts"
import { callers, happen, kinds, levelIn, makeRandom, makeWorld, type Random, type World } from "./grants-model.ts"

const levelOf = (sql: Sql, who: Member, kind: GrantedKind, id: string) => {
  switch (kind) {
    case "plugin":
      return plugins.level(sql, who, id as Id<"plg">)
    case "configObject":
      return objects.level(sql, who, id as Id<"cob">)
    case "marketplace":
      return Effect.map(marketplaces.get(sql, who, id as Id<"mkt">), (row) => row?.level ?? 0)
    case "connectorInstance":
      return Effect.map(connectors.getInstance(sql, who, id as Id<"cin">), (row) => row?.level ?? 0)
    case "mcpConnection":
      return Effect.map(connections.get(sql, who, id as Id<"emc">), (row) => row?.level ?? 0)
    case "llmProvider":
      return Effect.map(providers.get(sql, who, id as Id<"llm">), (row) => row?.level ?? 0)
  }
}

const listOf = (sql: Sql, who: Member, kind: GrantedKind, after: string | null, limit: number) => {
  switch (kind) {
    case "plugin":
      return plugins.list(sql, who, { archived: "true" }, after, limit)
    case "configObject":
      return objects.list(sql, who, { archived: "true" }, after, limit)
    case "marketplace":
      return marketplaces.list(sql, who, { archived: "true" }, after, limit)
    case "connectorInstance":
      return connectors.listInstances(sql, who, {}, after, limit)
    case "mcpConnection":
      return connections.list(sql, who, {}, after, limit)
    case "llmProvider":
      return providers.list(sql, who, undefined, after, limit)
  }
}

export interface Report {
  readonly seed: number
  readonly decisions: number
  /** Decisions by level, to detect runs in which everything is denied. */
  readonly byLevel: Readonly<Record<number, number>>
  readonly faults: ReadonlyArray<string>
}

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) => a.join() === b.join()

/** Reads all pages, in small steps. `meanwhile` runs between two pages. */
const walk = Effect.fnUntraced(function* <E, R>(
  page: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<{ readonly id: string }>, E, R>,
  limit: number,
  meanwhile: Effect.Effect<unknown, E, R> = Effect.void
) {
  const seen: Array<string> = []
  for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
    const rows: ReadonlyArray<{ readonly id: string }> = yield* page(after, limit)
    seen.push(...rows.map((row) => row.id))
    if (rows.length < limit) return seen
    yield* meanwhile
  }
})

/** Bounds that lead to each strategy with few rows, and mixtures of them. */
const boundsOf: ReadonlyArray<(random: Random) => PageBounds> = [
  () => ({ fewMax: 50, newestFactor: 1, readFactor: 1, checkedMax: 1, scanFactor: 1 }),
  () => ({ fewMax: 0, newestFactor: 50, readFactor: 50, checkedMax: 50, scanFactor: 1 }),
  () => ({ fewMax: 0, newestFactor: 50, readFactor: 50, checkedMax: 1, scanFactor: 1 }),
  () => ({ fewMax: 0, newestFactor: 1, readFactor: 2, checkedMax: 1, scanFactor: 50 }),
  () => ({ fewMax: 0, newestFactor: 1, readFactor: 1, checkedMax: 1, scanFactor: 0 }),
  (random) => ({
    fewMax: random.below(4),
    newestFactor: 1 + random.below(2),
    readFactor: 1 + random.below(4),
    checkedMax: random.below(3),
    scanFactor: random.below(3)
  })
]

/** Pages of the rows whose id ends in a character from `least` on. */
const smallPage = (sql: Sql, who: Member, kind: GrantedKind, bounds: PageBounds, least: string) => {
  const where = least === "" ? sql`TRUE` : sql`right(o.id, 1) COLLATE "C" >= ${least}`
  return (after: string | null, limit: number) =>
    sql<{ id: string }>`SELECT page.id FROM (${pageOfVisible(sql, who, {
      kind,
      where,
      after,
      limit,
      bounds
    })}) page ORDER BY page.id DESC`
}

/** Runs random organizations from a seed until this many decisions are compared, or one is wrong. */
export const compareDecisions = Effect.fnUntraced(function* (sql: Sql, seed: number, atLeast: number) {
  const random = makeRandom(seed)
  const byLevel: Record<number, number> = { 0: 0, 1: 0, 2: 0, 3: 0 }
  const faults: Array<string> = []
  let decisions = 0
  let before: World | undefined
  const judge = (isRight: boolean, what: () => string) => {
    if (!isRight) faults.push(what())
  }
  while (decisions < atLeast && faults.length === 0) {
    const world = yield* makeWorld(sql, random)
    const story: Array<string> = []
    for (let round = 0; round < 3 && decisions < atLeast && faults.length === 0; round += 1) {
      for (let count = 0; count < 25; count += 1) story.push(yield* happen(sql, world, random))
      for (const who of callers(world)) {
        const name = () => `seed ${seed}, ${JSON.stringify(who.principal)} after\n${story.join("\n")}\n`
        for (const kind of kinds) {
          const visible: Array<string> = []
          for (const id of world.ids[kind]) {
            const expected = levelIn(world, who, kind, id)
            const got = yield* levelOf(sql, who, kind, id)
            judge(got === expected, () => `${name()}${kind} ${id}: ${got}, not ${expected}`)
            byLevel[expected] = (byLevel[expected] ?? 0) + 1
            decisions += 1
            if (expected > 0) visible.push(id)
          }
          visible.reverse()
          const listed = yield* walk((after, limit) => listOf(sql, who, kind, after, limit), 1 + random.below(4))
          judge(same(listed, visible), () => `${name()}list of ${kind}: ${listed.join()}, not ${visible.join()}`)
          // Only these kinds have containers, and so more than one strategy.
          const strategies = kind === "plugin" || kind === "configObject" ? boundsOf : [random.of(boundsOf)]
          for (const strategy of strategies) {
            const bounds = strategy(random)
            const least = random.of(["", "c", "k"])
            const small = yield* walk(smallPage(sql, who, kind, bounds, least), 1 + random.below(3))
            const fitting = visible.filter((id) => id.slice(-1) >= least)
            judge(
              same(small, fitting),
              () => `${name()}pages of ${kind} with ${JSON.stringify(bounds)}: ${small.join()}, not ${fitting.join()}`
            )
          }
          decisions += 2 * world.ids[kind].length
          const id = random.of(world.ids[kind])
          const [explained, expected] = [yield* explain.object(sql, who, who, kind, id), levelIn(world, who, kind, id)]
          const best = Math.max(0, ...(explained?.paths ?? []).map((path) => path.level))
          const manages = (explained?.level ?? 0) === 3 && best < 3
          judge(
            (explained?.level ?? 0) === expected && (manages || best === expected),
            () => `${name()}explain ${kind} ${id}`
          )
          decisions += 1
          // Objects of another organization are not found by any means.
          const foreign = before === undefined ? undefined : random.of(before.ids[kind])
          if (foreign !== undefined) {
            judge((yield* levelOf(sql, who, kind, foreign)) === 0, () => `${name()}sees the foreign ${foreign}`)
            decisions += 1
          }
        }
        const used = yield* walk((after, limit) => library.listLibrary(sql, who, undefined, after, limit), 5)
        const usable = (["plugin", "configObject"] as const)
          .flatMap((kind) => world.ids[kind].filter((id) => levelIn(world, who, kind, id) > 0))
          .filter((id) => !world.archived.has(id))
          .toSorted()
          .toReversed()
        // A key has no library.
        if (who.principal.kind === "session") {
          judge(same(used, usable), () => `${name()}library: ${used.join()}, not ${usable.join()}`)
          decisions += world.ids.plugin.length + world.ids.configObject.length
        }
      }
      // Paging during changes: nothing appears twice, and everything that stayed visible appears.
      const people = callers(world)
      if (people.length > 0) {
        const who = random.of(people)
        const kind = random.of(kinds)
        const sees = () => world.ids[kind].filter((id) => levelIn(world, who, kind, id) > 0)
        let throughout = sees()
        const meanwhile = Effect.gen(function* () {
          for (let count = 0; count < 4; count += 1) story.push(yield* happen(sql, world, random))
          const now = new Set(sees())
          throughout = throughout.filter((id) => now.has(id))
        })
        const pages = smallPage(sql, who, kind, random.of(boundsOf)(random), "")
        const met = yield* walk(pages, 1 + random.below(3), meanwhile)
        judge(same(met, [...new Set(met)].toSorted().toReversed()), () => `seed ${seed}: ${met.join()} is out of order`)
        const missed = throughout.filter((id) => !met.includes(id))
        judge(
          missed.length === 0,
          () => `seed ${seed}: a walk of ${kind} missed ${missed.join()} after\n${story.join("\n")}`
        )
        decisions += met.length
      }
    }
    before = world
  }
  const report: Report = { seed, decisions, byLevel, faults }
  return report
})
