import { createHash } from "node:crypto"
import pg from "pg"
import { makeToken } from "../packages/server/src/infra/crypto/tokens.ts"
import { cpuMicros, median, openDatabase, say, startCandidate } from "./harness.ts"

export interface PoliciesOptions {
  /** Number of policies of the small and the large organization. */
  readonly few: number
  readonly many: number
  readonly members: number
  /** Measured requests of each kind. */
  readonly asks: number
  /** Number of rounds in which the kinds alternate. */
  readonly rounds: number
}

const warmAsks = 200
/** Below the rate limit of a session. */
const asksPerSession = 400

const numbered = (prefix: string, n: number) => `${prefix}_01k5qdz${String(n).padStart(19, "0")}`
const setOf = (prefix: string, offset: number) => `'${prefix}_01k5qdz' || lpad((i + ${offset})::text, 19, '0')`

/** Organizations: one with few policies, one with many of which few apply, one with many that all apply. */
const kinds = ["few", "one in a hundred of many", "all of many"] as const
type Kind = (typeof kinds)[number]

/** The handwritten query for a member's app: only the policies that apply. */
const bareText = `SELECT p.id, p.name, p.priority, p.settings_json, p.created_at, coalesce(a.closeness, 2) AS closeness
  FROM desktop_policies p LEFT JOIN (
    SELECT u.policy_id, min(u.closeness) AS closeness FROM (
      SELECT policy_id, 0 AS closeness FROM desktop_policy_members WHERE organization_id = $1 AND membership_id = $2
      UNION ALL
      SELECT pt.policy_id, 1 FROM team_members tm
      JOIN desktop_policy_teams pt ON pt.organization_id = tm.organization_id AND pt.team_id = tm.team_id
      WHERE tm.organization_id = $1 AND tm.membership_id = $2) u GROUP BY u.policy_id) a ON a.policy_id = p.id
  WHERE p.organization_id = $1 AND p.deleted_at IS NULL AND p.is_enabled AND (p.for_organization OR a.policy_id IS NOT NULL)`

/** One organization; every token is a session of its first member. */
const fill = async (
  client: pg.Client,
  kind: Kind,
  { few, many, members }: PoliciesOptions,
  tokens: ReadonlyArray<string>
) => {
  const place = kinds.indexOf(kind)
  const offset = place * 1_000_000
  const [organization, team] = [numbered("org", 900 + place), numbered("tem", 900 + place)]
  const policies = kind === "few" ? few : many
  await client.query(
    "INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES ($1, $1, 'enterprise', now(), now())",
    [organization]
  )
  await client.query(
    `INSERT INTO users (id, name, created_at, updated_at)
     SELECT ${setOf("usr", offset)}, 'A member', now(), now() FROM generate_series(1, $1::int) i`,
    [members]
  )
  await client.query(
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
     SELECT $1, ${setOf("om", offset)}, ${setOf("usr", offset)}, 'owner', now(), now() FROM generate_series(1, $2::int) i`,
    [organization, members]
  )
  await client.query(
    "INSERT INTO teams (organization_id, id, name, created_at, updated_at) VALUES ($1, $2, 'A team', now(), now())",
    [organization, team]
  )
  await client.query(
    `INSERT INTO team_members (organization_id, team_id, membership_id)
     SELECT $1, $2, ${setOf("om", offset)} FROM generate_series(1, $3::int, 2) i`,
    [organization, team, members]
  )
  // A third each for everyone, for the team and for the member; policies that do not apply are for the second member.
  const isMine = kind === "one in a hundred of many" ? "i % 100 = 0" : "TRUE"
  await client.query(
    `INSERT INTO desktop_policies (organization_id, id, name, settings_json, priority, is_enabled, for_organization,
       created_at, updated_at)
     SELECT $1, ${setOf("dpo", offset)}, 'Policy ' || i, jsonb_build_object(
         'allowAlphaUpdates', i % 2 = 0, 'showWelcomePage', i % 3 = 0, 'allowManageExtensions', i % 5 = 0,
         'onboardingPrompts', jsonb_build_array('What changed?'), 'onboardingPromptDescriptions', jsonb_build_array('Since')),
       i % 50, true, i % 3 = 0 AND ${isMine}, now(), now()
     FROM generate_series(1, $2::int) i`,
    [organization, policies]
  )
  await client.query(
    `INSERT INTO desktop_policy_teams (organization_id, policy_id, team_id)
     SELECT $1, ${setOf("dpo", offset)}, $2 FROM generate_series(1, $3::int) i WHERE i % 3 = 1 AND ${isMine}`,
    [organization, team, policies]
  )
  await client.query(
    `INSERT INTO desktop_policy_members (organization_id, policy_id, membership_id)
     SELECT $1, ${setOf("dpo", offset)}, CASE WHEN ${isMine} THEN $2 ELSE $3 END
     FROM generate_series(1, $4::int) i WHERE i % 3 = 2 OR NOT (${isMine})`,
    [organization, numbered("om", offset + 1), numbered("om", offset + 2), policies]
  )
  for (const [index, token] of tokens.entries()) {
    await client.query(
      `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
       VALUES ($1, decode($2, 'hex'), $3, $4, 'email', now(), now() + interval '1 day')`,
      [
        numbered("ses", offset + index),
        createHash("sha256").update(token).digest("hex"),
        numbered("usr", offset + 1),
        organization
      ]
    )
  }
  return { organization, member: numbered("om", offset + 1) }
}

interface Measured {
  readonly millis: Array<number>
  readonly cpu: Array<number>
  readonly bare: Array<number>
  rows: number
}

const two = (value: number) => value.toFixed(2)

/** Measures the effective policy of a member with few and many policies, compared with a handwritten query. */
export const policiesBench = async (options: PoliciesOptions): Promise<string> => {
  const { asks, few, many, members, rounds } = options
  const database = await openDatabase()
  try {
    const url = await database.createDatabase("policies")
    const server = await startCandidate({ name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) }, url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const perRound = Math.ceil(asks / rounds)
      const sessions = Math.ceil((warmAsks + asks + 1) / asksPerSession)
      const worlds = new Map<Kind, Awaited<ReturnType<typeof fill>> & { readonly ask: () => Promise<unknown> }>()
      for (const kind of kinds) {
        const tokens = Array.from({ length: sessions }, () => makeToken("ops"))
        const filled = await fill(client, kind, options, tokens)
        let requestCount = 0
        const ask = async () => {
          const token = tokens[Math.floor((requestCount += 1) / asksPerSession) % tokens.length]
          const response = await fetch(`http://127.0.0.1:${server.port}/v1/me/desktop-policy`, {
            headers: { authorization: `Bearer ${String(token)}` }
          })
          const body: unknown = await response.json()
          if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`)
          return body
        }
        worlds.set(kind, { ...filled, ask })
      }
      await client.query("ANALYZE")

      const bare = ({ member, organization }: { readonly member: string; readonly organization: string }) =>
        client.query({ name: "bare", text: bareText, values: [organization, member] })
      const measurements = new Map<Kind, Measured>(
        kinds.map((kind) => [kind, { millis: [], cpu: [], bare: [], rows: 0 }])
      )
      for (const [kind, world] of worlds) {
        say(`Warming up: ${kind}.`)
        for (let warm = 0; warm < warmAsks; warm += 1) {
          await world.ask()
          await bare(world)
        }
      }
      for (let round = 0; round < rounds; round += 1) {
        for (const [kind, world] of worlds) {
          const measured = measurements.get(kind)
          if (measured === undefined) continue
          const before = cpuMicros(server.pid)
          for (let index = 0; index < perRound; index += 1) {
            const began = performance.now()
            await world.ask()
            measured.millis.push(performance.now() - began)
          }
          measured.cpu.push((cpuMicros(server.pid) - before) / perRound)
          for (let index = 0; index < perRound; index += 1) {
            const began = performance.now()
            measured.rows = (await bare(world)).rows.length
            measured.bare.push(performance.now() - began)
          }
        }
        say(`Round ${round + 1} of ${rounds}.`)
      }
      const least = measurements.get("few")
      const names: Readonly<Record<Kind, string>> = {
        few: `${few}, all apply`,
        "one in a hundred of many": `${many}, one in a hundred applies`,
        "all of many": `${many}, all apply`
      }
      return [
        `| policies (${members} members) | rows | ms, p50 | CPU µs of the server | bare query ms, p50 | orgplane / bare, ms | orgplane / ${few} policies, ms | CPU |`,
        "|---|---|---|---|---|---|---|---|",
        ...[...measurements].map(([kind, { bare, cpu, millis, rows }]) => {
          const [time, work] = [median(millis), Math.min(...cpu)]
          return `| ${names[kind]} | ${rows} | ${two(time)} | ${work.toFixed(0)} | ${two(median(bare))} | ${two(time / median(bare))} | ${two(time / median(least?.millis ?? []))} | ${two(work / Math.min(...(least?.cpu ?? [])))} |`
        })
      ].join("\n")
    } finally {
      await client.end()
      await server.stop()
    }
  } finally {
    await database.stop()
  }
}
