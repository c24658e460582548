/** Checks before each comparison that the candidates do the same work. */
import { deepEqual, equal, ok } from "node:assert/strict"
import pg from "pg"
import type { Running } from "../harness.ts"
import { type Callers, writersOrganizationId } from "./rows.ts"
import type { Work } from "./works.ts"

const ask = (port: number, work: Work, token: string | undefined, body?: string) =>
  fetch(`http://127.0.0.1:${port}${work.path(1)}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body })
  })

const demandStatus = async (
  { name, port }: Running,
  work: Work,
  status: number,
  token: string | undefined,
  body = work.body?.(0)
) => {
  const response = await ask(port, work, token, body)
  await response.arrayBuffer()
  equal(response.status, status, `${name} returns ${response.status} for ${work.name}, not ${status}`)
}

/** Fails unless every candidate returns 204 for a valid batch and 400 for an empty one. */
const demandIngestion = async (running: Iterable<Running>, work: Work, token: string) => {
  for (const candidate of running) {
    await demandStatus(candidate, work, 204, token)
    await demandStatus(candidate, work, 400, token, '{"events":[]}')
  }
}

/** Fails unless all candidates return the same body; only the format of cursors may differ. */
const demandEqualBodies = async (running: Iterable<Running>, work: Work, token: string) => {
  let first: { readonly name: string; readonly body: unknown } | undefined
  for (const { name, port } of running) {
    const response = await ask(port, work, token)
    const body: unknown = await response.json()
    equal(response.status, 200, `${name} returns ${response.status} for ${work.name}: ${JSON.stringify(body)}`)
    if (typeof body === "object" && body !== null && "nextCursor" in body && work.path(1).includes("limit=")) {
      ok(typeof body.nextCursor === "string", `${name} returns no next page`)
      body.nextCursor = "a cursor"
    }
    first ??= { name, body }
    deepEqual(body, first.body, `${name} and ${first.name} return different bodies for ${work.name}`)
  }
}

/** Replaces what differs between two plugins that were created with the same body: IDs, times and digests of IDs. */
const masked = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/"(plg|pag|aud|req)_[0-7][0-9a-hjkmnp-tv-z]{25}"/g, '"$1"')
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)"/g, '"a time"')
  )

/** The rows that a request created, and how many rows the tables had before and have after. */
const createdRows = `SELECT (SELECT to_jsonb(p) FROM plugins p WHERE p.organization_id = $1 AND p.id = $2) AS plugin,
    (SELECT jsonb_agg(to_jsonb(g)) FROM grants g WHERE g.organization_id = $1 AND g.object_id = $2) AS grants,
    (SELECT jsonb_agg(to_jsonb(a) - 'payload_digest' - 'created_txid' - 'sequence' - 'hash' - 'seal_key_id')
      FROM audit_events a WHERE a.organization_id = $1 AND a.target_id = $2) AS events`
const numbers = `SELECT (SELECT count(*)::int FROM plugins WHERE organization_id = $1) AS plugins,
    (SELECT count(*)::int FROM grants WHERE organization_id = $1) AS grants,
    (SELECT count(*)::int FROM audit_events WHERE organization_id = $1) AS events,
    (SELECT count(*)::int FROM idempotency_keys) AS keys`

/** Fails unless all candidates write the same rows and return the same body. */
const demandEqualRows = async (running: Iterable<Running>, work: Work, token: string, databaseUrl: string) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const count = async () => (await client.query<Record<string, number>>(numbers, [writersOrganizationId])).rows[0] ?? {}
  try {
    let first: { readonly name: string; readonly result: unknown } | undefined
    for (const candidate of running) {
      const { name, port } = candidate
      await demandStatus(candidate, work, 400, token, '{"name":""}')
      const before = await count()
      const response = await ask(port, work, token, work.body?.(1))
      const body = (await response.json()) as { readonly item: { readonly id: string } }
      equal(response.status, 201, `${name} returns ${response.status} for ${work.name}: ${JSON.stringify(body)}`)
      const after = await count()
      const added = Object.fromEntries(Object.entries(after).map(([table, n]) => [table, n - (before[table] ?? 0)]))
      deepEqual(added, { plugins: 1, grants: 1, events: 1, keys: 0 }, `${name} writes other rows`)
      const { rows } = await client.query(createdRows, [writersOrganizationId, body.item.id])
      const result = masked({ body, rows })
      first ??= { name, result }
      deepEqual(result, first.result, `${name} and ${first.name} create different plugins`)
    }
  } finally {
    await client.end()
  }
}

const sealSecondsMax = 60

/**
 * Waits until orgplane has sealed all audit events, also those of its peers. So the sealing of its own events counts as
 * its CPU time, and that of the others' does not.
 */
export const untilSealed = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query("SELECT pg_notify('orgplane_written', 'audit')")
    for (const began = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const { rows } = await client.query("SELECT 1 FROM audit_events WHERE sequence IS NULL LIMIT 1")
      if (rows.length === 0) return
      if (Date.now() - began > sealSecondsMax * 1000) throw new Error("The audit events were not sealed.")
    }
  } finally {
    await client.end()
  }
}

/** Fails unless all candidates do the same work, and reject callers without a token or without the permission. */
export const demandAgreement = async (
  running: ReadonlyArray<Running>,
  work: Work,
  callers: Callers,
  databaseUrl: string
) => {
  const token = callers[work.callers ?? "members"][0] ?? ""
  for (const candidate of work.isPublic ? [] : running) {
    await demandStatus(candidate, work, 401, undefined)
    if (work.forbidden !== undefined) await demandStatus(candidate, work, 403, callers[work.forbidden][0])
  }
  if (work.creates) return demandEqualRows(running, work, token, databaseUrl)
  return (work.body === undefined ? demandEqualBodies : demandIngestion)(running, work, token)
}
