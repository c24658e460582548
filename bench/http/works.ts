/** The kinds of requests that are compared, with the goals and floors of each. */
import { type Callers, counts, pluginId, targetId } from "./rows.ts"

export const candidates = [
  { name: "bare", file: new URL("bare.ts", import.meta.url) },
  { name: "fastify", file: new URL("fastify.ts", import.meta.url) },
  { name: "hono", file: new URL("hono.ts", import.meta.url) },
  { name: "orgplane", file: new URL("orgplane.ts", import.meta.url) }
] as const
export type Name = (typeof candidates)[number]["name"]

/** A ratio per peer; above 1 means that orgplane is better. */
export type Ratios = Partial<Record<Name, number>>

export interface Work {
  readonly name: string
  /** Path of the nth request. */
  readonly path: (n: number) => string
  readonly isPublic?: true
  /** The callers (default: members), and those who lack the permission. */
  readonly callers?: keyof Callers
  readonly forbidden?: keyof Callers
  /** The candidates that implement it; all by default. */
  readonly names?: ReadonlyArray<Name>
  /** The body of the nth request, which is then a POST. */
  readonly body?: (n: number) => string
  /** Each request creates a plugin. */
  readonly creates?: true
  /** Bodies for the warm-up, if the database is too slow for the measured ones. */
  readonly warmBody?: (n: number) => string
  /** Number of alternating sessions: few if there are few requests per second, so that callers stay cached. */
  readonly sessions?: number
  /** The ratio of CPU time, peer over orgplane, to reach. */
  readonly goals: Ratios
  /** The ratio of CPU time that is required. */
  readonly floors?: Ratios
  /** The ratio of requests per second, orgplane over peer, to reach, and the one that is required. */
  readonly perSecond?: { readonly goals: Ratios; readonly floors: Ratios }
}

const withoutHono: ReadonlyArray<Name> = ["bare", "fastify", "orgplane"]

/** A read that is recorded without a goal. */
const recorded = { names: withoutHono, goals: {}, floors: { bare: 0.6 } }

export const works: ReadonlyArray<Work> = [
  {
    name: "health",
    path: () => "/v1/health",
    isPublic: true,
    goals: { bare: 0.75, fastify: 1 },
    floors: { bare: 0.6, fastify: 0.75 }
  },
  {
    name: "one plugin",
    // A stride coprime to the count visits every row in an order that caches cannot predict.
    path: (n) => `/v1/plugins/${pluginId(1 + ((n * 7919) % counts.plugins))}`,
    goals: { bare: 0.9, fastify: 1.45, hono: 3 },
    floors: { bare: 0.75, fastify: 1.15, hono: 2.2 },
    perSecond: { goals: { bare: 0.85 }, floors: { bare: 0.7 } }
  },
  {
    name: "page of 50 mappings",
    path: (n) => `/v1/connector-targets/${targetId(1 + ((n * 37) % counts.targets))}/mappings?limit=50`,
    goals: { bare: 0.85, fastify: 1.4, hono: 2 },
    floors: { bare: 0.65, fastify: 1.1, hono: 1.4 }
  },
  { ...recorded, name: "page of 50 plugins", path: () => "/v1/plugins?limit=50", sessions: 200 },
  { ...recorded, name: "library page of 50", path: () => "/v1/me/library?limit=50", sessions: 200 },
  { ...recorded, name: "me", path: () => "/v1/me" },
  { ...recorded, name: "organizations of me", path: () => "/v1/me/organizations" },
  {
    ...recorded,
    name: "page of 50 audit events",
    path: () => "/v1/audit-events?limit=50",
    callers: "admins",
    forbidden: "members"
  },
  {
    name: "create a plugin",
    path: () => "/v1/plugins",
    callers: "writers",
    names: withoutHono,
    body: (n) => JSON.stringify({ name: `Plugin ${n}`, description: `What plugin ${n} is good for.` }),
    creates: true,
    sessions: 400,
    goals: { bare: 0.9, fastify: 1.3 },
    floors: { bare: 0.7, fastify: 1 }
  }
]
