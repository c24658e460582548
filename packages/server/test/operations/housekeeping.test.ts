import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { SqlDatabase, type Sql } from "../../src/infra/sql/client.ts"
import { tenantTables } from "../../src/infra/sql/migrations/index.ts"
import {
  call,
  makeConnector,
  makeControlPlane,
  makeMarketplace,
  makeWorkspace,
  signInByEmail,
  withServices
} from "../harness.ts"

const plane = await makeControlPlane({ bootstrap: "open" })

const onDatabase = <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) =>
  withServices(plane, Effect.flatMap(SqlDatabase, use))

const rowsOf = (organizationId: string) =>
  onDatabase((sql) =>
    Effect.map(
      Effect.forEach(
        // The audit log must cover removed organizations. Each change adds a row to the counter of stored content.
        tenantTables.filter((table) => !table.startsWith("audit_") && table !== "storage_changes"),
        (table) =>
          sql<{
            count: number
          }>`SELECT count(*)::int AS count FROM ${sql(table)} WHERE organization_id = ${organizationId}`
      ),
      (tables) => tables.reduce((sum, [row]) => sum + (row?.count ?? 0), 0)
    )
  )

it("deletes an expired unclaimed workspace completely, and nothing of other organizations", async () => {
  const other = await makeWorkspace(plane, "Other")
  await other.client.plugins.create({ name: "Kept" })
  const workspace = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Forgotten" })
  const organizationId: string = workspace.body.organization.id
  const agent = call(plane, workspace.body.session.token)
  expect((await agent("POST", "/v1/config-objects", { input: { type: "context", rawSourceText: "# A" } })).status).toBe(
    201
  )
  expect((await agent("POST", "/v1/roles", { name: "Reviewer", permissions: ["plugins:read"] })).status).toBe(201)
  expect((await agent("POST", "/v1/memory", { content: "A wish" })).status).toBe(201)
  const guest = await signInByEmail(plane, "guest@example.com")
  const invited = await agent("POST", "/v1/invitations", { email: "guest@example.com", send: false })
  expect((await guest.call("POST", "/v1/invitations/accept", { token: invited.body.link.token })).status).toBe(200)
  const rowsLeft = await rowsOf(other.organizationId)
  await onDatabase(sweep)
  expect((await agent("GET", "/v1/organization")).status).toBe(200)

  await onDatabase(
    (sql) => sql`UPDATE organizations SET provisional_until = now() - interval '1 second' WHERE id = ${organizationId}`
  )
  await onDatabase(sweep)
  expect(await rowsOf(organizationId)).toBe(0)
  expect(await rowsOf(other.organizationId)).toBe(rowsLeft)
  // A user who joined stays signed in, without this organization.
  expect((await guest.call("GET", "/v1/me")).status).toBe(200)
  expect((await guest.call("GET", "/v1/organization")).body).toEqual({ error: "organization_not_found" })
  const left = await onDatabase((sql) => sql`SELECT 1 AS one FROM organizations WHERE id = ${organizationId}`)
  expect(left).toEqual([])
})

it("deletes sessions thirty days after they expired or were revoked, whichever was first", async () => {
  const { userId } = await makeWorkspace(plane)
  const addSession = async (expiresIn: string, revokedIn: string | null) => {
    const id = makeId("ses")
    await onDatabase(
      (sql) => sql`INSERT INTO sessions (id, token_digest, user_id, kind, created_at, expires_at, revoked_at)
        VALUES (${id}, ${randomBytes(32)}, ${userId}, 'email', now() - interval '90 days',
          now() + ${expiresIn}::interval, now() + ${revokedIn}::interval)`
    )
    return id
  }
  const kept = [await addSession("-29 days", null), await addSession("1 day", "-29 days")]
  const deleted = [
    await addSession("-31 days", null),
    await addSession("1 day", "-31 days"),
    await addSession("-31 days", "-29 days")
  ]
  await onDatabase(sweep)
  const rows = await onDatabase((sql) => sql<{ id: string }>`SELECT id FROM sessions WHERE user_id = ${userId}`)
  const ids = rows.map(({ id }) => id)
  expect([...kept, ...deleted].filter((id) => ids.includes(id))).toEqual(kept)
})

it("keeps a session that is used valid for thirty days", async () => {
  const person = await makeWorkspace(plane)
  const daysLeft = async () => {
    const [session] = (await person.client.sessions.list()).items
    return (Date.parse(session?.expiresAt ?? "") - Date.now()) / 86_400_000
  }
  await onDatabase(
    (sql) => sql`UPDATE sessions SET expires_at = now() + interval '3 days'
    WHERE organization_id = ${person.organizationId}`
  )
  await person.client.organizations.get()
  expect(await daysLeft()).toBeGreaterThan(29.9)
})

it("replays a removal for the same idempotency key, and responds 404 to others", async () => {
  const owner = await makeWorkspace(plane)
  const { connectorInstanceId } = await makeConnector(plane, owner)
  const remove = (key: string) =>
    owner.call("POST", `/v1/connector-instances/${connectorInstanceId}/remove`, undefined, { "idempotency-key": key })
  const first = await remove("one")
  expect(first.status).toBe(200)
  const again = await remove("one")
  expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([200, first.body, "true"])
  expect((await remove("two")).status).toBe(404)
})

it("purges what was removed thirty days ago with its versions, memberships and grants, and nothing else", async () => {
  const owner = await makeWorkspace(plane, "Removing")
  const input = { type: "context", rawSourceText: "# A" }
  const [old, young, keptPlugin] = [
    await owner.client.plugins.create({ name: "Old" }),
    await owner.client.plugins.create({ name: "Young" }),
    await owner.client.plugins.create({ name: "Kept" })
  ]
  const before = await rowsOf(owner.organizationId)
  const created = await owner.call("POST", "/v1/config-objects", { input, pluginIds: [old.id, keptPlugin.id] })
  const object: string = created.body.item.id
  expect(
    (await owner.call("POST", `/v1/config-objects/${object}/versions`, { input: { rawSourceText: "# B" } })).status
  ).toBe(201)
  const marketplace = await makeMarketplace(plane, owner, [old.id])
  const remove = (table: string, id: string, days: number) =>
    onDatabase(
      (sql) => sql`UPDATE ${sql(table)} SET deleted_at = now() - make_interval(days => ${days}) WHERE id = ${id}`
    )
  expect((await owner.call("DELETE", `/v1/config-objects/${object}`)).status).toBe(204)
  await remove("plugins", young.id, 29)
  const removed = await rowsOf(owner.organizationId)
  await onDatabase(sweep)
  expect(await rowsOf(owner.organizationId)).toBe(removed)
  await remove("config_objects", object, 31)
  await remove("plugins", old.id, 31)
  await remove("marketplaces", marketplace, 31)
  await onDatabase(sweep)
  // The first plugin is purged with its creator's grant.
  expect(await rowsOf(owner.organizationId)).toBe(before - 2)
  expect((await owner.client.plugins.get(keptPlugin.id)).memberCount).toBe(0)
})

it("purges expired sign-ins and assertions that can no longer be used, and nothing else", async () => {
  const { organizationId } = await makeWorkspace(plane, "Signing in")
  const connectionId = makeId("sso")
  const ages = ["-61 minutes", "-59 minutes", "10 minutes"]
  await onDatabase((sql) =>
    Effect.forEach(ages, (age) =>
      Effect.all([
        sql`INSERT INTO sso_sign_ins (organization_id, id, connection_id, settings_revision, purpose, state_digest,
            begun_json, return_to, created_at, expires_at)
          VALUES (${organizationId}, ${makeId("ssi")}, ${connectionId}, 1, 'sign_in', ${randomBytes(32)},
            '{"protocol":"oidc"}', ${age}, now(), now() + ${age}::interval)`,
        sql`INSERT INTO sso_assertions (organization_id, connection_id, assertion_digest, expires_at)
          VALUES (${organizationId}, ${connectionId}, ${randomBytes(32)}, now() + ${age}::interval)`
      ])
    )
  )
  await onDatabase(sweep)
  // A code of a sign-in that returned at the last moment is still valid.
  const left = await onDatabase(
    (sql) => sql`SELECT return_to FROM sso_sign_ins WHERE organization_id = ${organizationId} ORDER BY expires_at`
  )
  expect(left).toEqual([{ return_to: "-59 minutes" }, { return_to: "10 minutes" }])
  const assertions = await onDatabase(
    (sql) => sql<{ usable: boolean }>`SELECT expires_at > now() AS usable FROM sso_assertions
      WHERE organization_id = ${organizationId}`
  )
  expect(assertions).toEqual([{ usable: true }])
})
