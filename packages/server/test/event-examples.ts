/**
 * Records the examples of the reference of events: with `ORGPLANE_EVENT_EXAMPLES=write`, the first event of each type that a
 * test causes and that has no example yet. Run several test files after each other, not at the same time.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient, ForbiddenError, type OrganizationEvent, type OrgplaneClient } from "@orgplane/client"
import { makeNormalizer } from "./examples/normalize.ts"
import { runSql, signIn, type TestPlane } from "./harness.ts"
import { sealEvents } from "./seal-events.ts"

const file = join(import.meta.dirname, "../../schema/event-examples.json")

/** Members whose events are read, and events that are read of each: the others have the same events. */
const readersMax = 200
const eventsMax = 3000

/** None if the member cannot read events. */
const eventsOf = async (client: OrgplaneClient): Promise<ReadonlyArray<OrganizationEvent>> => {
  try {
    return await client.events.list({ limit: 100 }).take(eventsMax)
  } catch (error) {
    if (error instanceof ForbiddenError) return []
    throw error
  }
}

/** Called before a control plane is closed, unless the test has closed it. */
export const recordEventExamples = async (plane: TestPlane, pathPrefix = ""): Promise<void> => {
  await sealEvents(plane)
  const examples: Record<string, unknown> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
  const readers = await runSql(
    plane,
    (sql) => sql<{ organization_id: string; user_id: string }>`SELECT m.organization_id, m.user_id FROM memberships m
      JOIN organizations o ON o.id = m.organization_id
      WHERE o.deleted_at IS NULL AND m.removed_at IS NULL ORDER BY m.role = 'owner' DESC, m.id LIMIT ${readersMax}`
  )
  for (const { organization_id: organizationId, user_id: userId } of readers) {
    const { token } = await signIn(plane, userId, organizationId)
    const baseUrl = `http://localhost${pathPrefix}`
    const client = createClient({ baseUrl, token, fetch: plane.fetch, retries: 0 })
    for (const event of await eventsOf(client)) {
      examples[event.type] ??= makeNormalizer(plane, Date.parse(event.createdAt)).normalize(event)
    }
  }
  const sorted = Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
}
