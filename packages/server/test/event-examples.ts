/**
 * Records the examples of the reference of events: with `ORGPLANE_EVENT_EXAMPLES=write`, the first event of each type that a
 * test causes and that has no example yet. Run several test files after each other, not at the same time.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { AuditChain } from "../src/identity/audit/chain.ts"
import type { Event } from "@orgplane/schema/events"
import { makeNormalizer } from "./examples/normalize.ts"
import { call, runSql, signIn, type TestPlane, withServices } from "./harness.ts"

const file = join(import.meta.dirname, "../../schema/event-examples.json")

/** Members who are asked, and pages that are read: the others have the same events. */
const askedMax = 200
const pagesMax = 30

const eventsOf = async (plane: TestPlane, organizationId: string, userId: string): Promise<ReadonlyArray<Event>> => {
  const { token } = await signIn(plane, userId, organizationId)
  const ask = call(plane, token)
  const events: Array<Event> = []
  let cursor: string | null = ""
  for (let page = 0; page < pagesMax && cursor !== null; page++) {
    const { body, status } = await ask("GET", `/v1/events?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`)
    if (status !== 200) break
    events.push(...body.items)
    cursor = body.nextCursor
  }
  return events
}

const record = async (plane: TestPlane): Promise<void> => {
  await withServices(plane, Effect.flatMap(AuditChain, (chain) => chain.seal).pipe(Effect.orDie))
  const examples: Record<string, unknown> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
  const readers = await runSql(
    plane,
    (sql) => sql<{ organization_id: string; user_id: string }>`SELECT m.organization_id, m.user_id FROM memberships m
      JOIN organizations o ON o.id = m.organization_id
      WHERE o.deleted_at IS NULL ORDER BY m.role = 'owner' DESC, m.id LIMIT ${askedMax}`
  )
  for (const { organization_id: organizationId, user_id: userId } of readers) {
    for (const event of await eventsOf(plane, organizationId, userId)) {
      examples[event.type] ??= makeNormalizer(plane, Date.parse(event.createdAt)).normalize(event)
    }
  }
  const sorted = Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** Called before a control plane is closed. A test may have closed it before, to start another one on its database. */
export const recordEventExamples = async (plane: TestPlane): Promise<void> => {
  if (process.env["ORGPLANE_EVENT_EXAMPLES"] === "write") await record(plane).catch(() => undefined)
}
