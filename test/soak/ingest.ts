/** Clients that send events and retry until they are acknowledged, while server and database are killed. */
import { randomUUID } from "node:crypto"
import { sha256Bytes } from "../../packages/server/src/infra/crypto/digest.ts"
import { makeToken } from "../../packages/server/src/infra/crypto/tokens.ts"
import { makeId } from "../../packages/server/src/infra/ids.ts"
import { makeChances } from "./random.ts"

export interface IngestSoak {
  readonly seed: number
  /** Starts the server; after a kill it may have another URL. */
  readonly start: () => Promise<{ readonly baseUrl: string; readonly kill: () => Promise<unknown> }>
  /** Kills the database and restarts it with all acknowledged data. */
  readonly killDatabase: () => Promise<void>
  readonly query: <A extends object>(statement: string) => Promise<ReadonlyArray<A>>
  readonly clients: number
  readonly isOver: (progress: { readonly kills: number; readonly batches: number }) => boolean
  readonly say: (line: string) => void
}

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))
/** The minimum number of batches per client between two kills, so that requests are in progress when the kill comes. */
const batchesBetween = 5
/** A session can send 600 requests a minute; a client switches to a new one before that. */
const requestsPerSession = 500
const literal = (bytes: Uint8Array) => `'\\x${Buffer.from(bytes).toString("hex")}'`

/** Returns what was sent and stored, and the events that were lost, duplicated or miscounted. */
export const soakIngest = async (options: IngestSoak) => {
  const { clients, isOver, query, say, seed } = options
  const chances = makeChances(seed)
  let server = await options.start()
  const created = await fetch(`${server.baseUrl}/v1/bootstrap/workspace`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workspaceName: "Soak" })
  })
  const { organization }: { organization: { id: string } } = await created.json()

  const counts = { batches: 0, tries: 0, unavailable: 0, cut: 0, kills: 0, databaseKills: 0 }
  const acknowledged = new Set<string>()
  const requestIds = new Set<string>()
  const sent = new Set<string>()
  const state = { isEnding: false }
  /** Clients wait while the server restarts, because errors without a server are meaningless. */
  let isUp: Promise<unknown> = Promise.resolve()

  const newSession = async (): Promise<string> => {
    const token = makeToken("ops")
    await query(`INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
      SELECT '${makeId("ses")}', ${literal(sha256Bytes(token))}, user_id, organization_id, 'email', now(), now() + interval '1 day'
      FROM memberships WHERE organization_id = '${organization.id}' LIMIT 1`)
    return token
  }

  const client = async (name: number) => {
    const own = makeChances(seed + 1 + name)
    let session = await newSession()
    let requests = 0
    for (let batch = 0; !state.isEnding; batch += 1) {
      const events = Array.from({ length: 1 + own.nat(50) }, (_, i) => ({
        id: `c${name}-${batch}-${own.isOne(0.05) ? 0 : i}`,
        type: "task.completed",
        timestamp: new Date(Date.parse("2026-01-01T00:00:00Z") + (Date.now() % 1000)).toISOString(),
        source: own.isOne(0.03) ? "nowhere" : "app",
        dimensions: [{ type: "client", value: String(name) }]
      }))
      // A repeated ID has the same timestamp.
      const moments = new Map<string, string>()
      for (const event of events) {
        event.timestamp = moments.get(event.id) ?? event.timestamp
        moments.set(event.id, event.timestamp)
        if (event.source === "app") sent.add(event.id)
      }
      const eventIds = new Set(events.filter(({ source }) => source === "app").map(({ id }) => id))
      for (let isDone = false; !isDone;) {
        await isUp
        if ((requests += 1) % requestsPerSession === 0) session = await newSession().catch(() => session)
        const requestId = `soak-${name}-${batch}-${randomUUID()}`
        counts.tries += 1
        try {
          const response = await fetch(`${server.baseUrl}/v1/telemetry/ingest`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${session}`,
              "content-type": "application/json",
              "x-request-id": requestId
            },
            body: JSON.stringify({ events })
          })
          await response.arrayBuffer()
          if (response.status === 204) {
            for (const id of eventIds) acknowledged.add(id)
            requestIds.add(requestId)
            counts.batches += 1
            isDone = true
          } else if (response.status === 503 || response.status === 429) {
            counts.unavailable += 1
            await pause(50)
          } else throw new Error(`A batch got the status ${response.status}.`)
        } catch (cause) {
          if (cause instanceof Error && cause.message.startsWith("A batch got the status")) throw cause
          counts.cut += 1
          await pause(50)
        }
      }
    }
  }

  const startAgain = async () => {
    const dead = server.kill()
    server = await dead.then(options.start)
  }

  /** Alternates, so that a short run kills both; the seed determines which is first. */
  const killer = async () => {
    const first = chances.nat(2)
    for (
      let turn = first;
      !isOver({ kills: counts.kills + counts.databaseKills, batches: counts.batches });
      turn += 1
    ) {
      const enough = counts.batches + clients * batchesBetween
      await pause(200 + chances.nat(1500))
      while (counts.batches < enough && !state.isEnding) await pause(20)
      if (state.isEnding) return
      if (turn % 2 === 0) {
        isUp = startAgain()
        await isUp
        counts.kills += 1
        say(`server killed ${counts.kills}; ${counts.batches} batches acknowledged`)
      } else {
        await options.killDatabase()
        counts.databaseKills += 1
        say(`database killed ${counts.databaseKills}; ${counts.batches} batches acknowledged`)
      }
    }
    state.isEnding = true
  }

  try {
    await Promise.all([killer(), ...Array.from({ length: clients }, (_, name) => client(name))])
  } finally {
    state.isEnding = true
    await server.kill()
  }

  const rows = await query<{ id: string; count: number }>(
    `SELECT event_id AS id, count(*)::int AS count FROM telemetry_events GROUP BY event_id`
  )
  const stored = new Map(rows.map(({ count, id }) => [id, count]))
  const ledger = await query<{
    request_id: string
    sent: number
    accepted: number
    duplicate: number
    dropped: number
  }>(`SELECT request_id, sent, accepted, duplicate, dropped FROM telemetry_ledger`)
  const noted = new Map<string, number>()
  for (const { request_id } of ledger) noted.set(request_id, (noted.get(request_id) ?? 0) + 1)
  const accepted = ledger.reduce((sum, row) => sum + row.accepted, 0)
  const violations = {
    lost: [...acknowledged].filter((id) => !stored.has(id)).length,
    doubled: [...stored].filter(([, count]) => count > 1).length,
    invented: [...stored.keys()].filter((id) => !sent.has(id)).length,
    uncounted: [...requestIds].filter((id) => noted.get(id) !== 1).length,
    wrongSums: ledger.filter((row) => row.sent !== row.accepted + row.duplicate + row.dropped).length,
    wrongTotal: Math.abs(accepted - rows.reduce((sum, { count }) => sum + count, 0))
  }
  const sums = {
    sent: sent.size,
    acknowledged: acknowledged.size,
    stored: stored.size,
    /** Repeated events, from batches without a response or with the same ID twice. */
    duplicates: ledger.reduce((sum, row) => sum + row.duplicate, 0),
    ledger: ledger.length
  }
  return { seed, ...counts, ...sums, violations }
}
