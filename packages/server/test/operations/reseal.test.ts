import * as Effect from "effect/Effect"
import { afterAll, expect, it } from "vitest"
import { KeyRing } from "../../src/infra/crypto/key-ring.ts"
import { onExistingDatabase } from "../../src/infra/sql/database.ts"
import { discardUnreadable } from "../../src/operations/reseal/discard.ts"
import { resealAll, sealedTables } from "../../src/operations/reseal/index.ts"
import { type Sql, SqlDatabase } from "../../src/infra/sql/client.ts"
import { call, makeControlPlane, makeWorkspace, runSql, type TestPlane, withServices } from "../harness.ts"
import { checkpointEvents, sealEvents } from "../seal-events.ts"
import { changeOf } from "../infra/http-changes.ts"
import { createEndpoint, isSignedWith, serveReceiver } from "../identity/webhook-endpoints.fixture.ts"
import { operations, pathOf } from "../infra/http-world.ts"
import { atProvider, comeBack, connectSso, serveStandIn, startSso, resultOf } from "../enterprise/sso.fixture.ts"

const first = "a secret for tests only, long enough to be one"
const second = "the second secret for tests, long enough to be one"
const third = "the third secret for tests, also long enough to be one"

const plane = await makeControlPlane({
  workers: false,
  outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
})
const standIn = await serveStandIn()
afterAll(() => standIn.close())

const ringOf = (...secrets: readonly [string, ...ReadonlyArray<string>]) =>
  Effect.runPromise(Effect.provide(KeyRing, KeyRing.layer(secrets)))

const resealWith = async (...secrets: readonly [string, ...ReadonlyArray<string>]) => {
  const ring = await ringOf(...secrets)
  return withServices(
    plane,
    Effect.flatMap(SqlDatabase, (sql) => resealAll(sql, ring))
  )
}

/** Columns of digests, packed content and embeddings. They need no key. */
const unsealedBytes = [
  "api_keys.previous_digest",
  "api_keys.token_digest",
  "claims.token_digest",
  "connector_installs.state_digest",
  "invitations.token_digest",
  "marketplace_links.token_digest",
  "memories.embedding",
  "oauth_states.state_digest",
  "plugin_file_blobs.bytes",
  "scim_tokens.token_digest",
  "sessions.token_digest",
  "sign_in_challenges.code_digest",
  "sso_assertions.assertion_digest",
  "sso_sign_ins.code_digest",
  "sso_sign_ins.state_digest",
  "worker_tokens.token_digest"
]

/** The key of each sealed value in the whole database. */
const keysInUse = () =>
  runSql(plane, (sql: Sql) =>
    Effect.gen(function* () {
      const tables = yield* sql<{ table_name: string }>`SELECT table_name FROM information_schema.columns
        WHERE column_name = 'ciphertext' AND table_schema = current_schema() ORDER BY table_name`
      const keys = yield* Effect.forEach(tables, ({ table_name }) =>
        Effect.map(
          // Each start encrypts the canary with its newest key.
          sql<{ key_id: string }>`SELECT key_id FROM ${sql(table_name)} WHERE key_id IS NOT NULL
            AND ${table_name}::text <> 'secret_canary'`,
          (rows) => rows.map((row) => `${table_name} ${row.key_id}`)
        )
      )
      return keys.flat()
    })
  )

it("covers every column of the schema that contains sealed values", async () => {
  const columns = await runSql(
    plane,
    (sql: Sql) =>
      sql<{
        table_name: string
        column_name: string
      }>`SELECT table_name::text AS table_name, column_name::text AS column_name
        FROM information_schema.columns WHERE table_schema = current_schema() AND data_type = 'bytea' ORDER BY 1, 2`
  )
  const isSeal = (column: string) => column === "nonce" || column === "ciphertext"
  const sealed = columns.filter(({ column_name }) => isSeal(column_name)).map(({ table_name }) => table_name)
  expect([...new Set(sealed)]).toEqual([...sealedTables, "secret_canary"].sort())
  // A new column of bytes is either resealed or needs no key.
  const others = columns.filter(({ column_name }) => !isSeal(column_name))
  expect(others.map(({ column_name, table_name }) => `${table_name}.${column_name}`)).toEqual(unsealedBytes)
})

/** Operations that store a sealed value. */
const sealing = new Set(["mcpConnections.setApiKey"])

it("reseals every stored secret with the newest key, so that the old key can be removed", async () => {
  const owner = await makeWorkspace(plane)
  await owner.call("GET", "/v1/keys")
  await owner.call("POST", "/v1/mcp-connections", {
    name: "By hand",
    url: "https://mcp.invalid/mcp",
    authType: "oauth",
    oauthClient: { clientId: "ours", clientSecret: "a-secret-of-the-client" }
  })
  for (const operation of operations.filter(({ operationId }) => sealing.has(operationId))) {
    const { body, things, token } = await changeOf(plane, operation)
    const response = await call(plane, token)(operation.method, pathOf(operation, things), body)
    expect([operation.operationId, response.status]).toEqual([operation.operationId, 200])
  }
  // The SSO client secret, and the sealed state of a sign-in.
  await connectSso(plane, owner, standIn, { domain: "resealed.example" })
  const underWay = await startSso(plane, { organizationId: owner.organizationId })
  const receiver = await serveReceiver()
  const endpoint = await createEndpoint(owner, receiver.url)
  const before = await keysInUse()
  expect(new Set(before.map((key) => key.split(" ")[0]))).toEqual(
    new Set([
      "oauth_credentials",
      "sealed_values",
      "signing_keys",
      "sso_connections",
      "sso_sign_ins",
      "webhook_secrets"
    ])
  )

  expect(await resealWith(second, first)).toEqual({ resealed: before.length, skipped: 0 })
  const sealingKey = (await ringOf(second)).sealingKey()
  expect(new Set((await keysInUse()).map((key) => key.split(" ")[1]))).toEqual(new Set([sealingKey]))
  expect(await resealWith(second, first)).toEqual({ resealed: 0, skipped: 0 })
  // The first key can open nothing any more and is not required.
  expect(await resealWith(third, second)).toEqual({ resealed: before.length, skipped: 0 })
  expect(await resealWith(first)).toEqual({ resealed: 0, skipped: before.length })
  expect(await resealWith(first, third)).toEqual({ resealed: before.length, skipped: 0 })
  standIn.person = { sub: "owner", email: "owner@resealed.example", email_verified: true }
  const back = await comeBack(plane, await atProvider(underWay.body.url))
  expect(resultOf(back).get("code")).not.toBeNull()
  await owner.call("POST", `${endpoint.path}/test`)
  expect(receiver.received.map((received) => isSignedWith(endpoint.secret, received))).toEqual([true])
  const { keys } = (await owner.call("GET", "/v1/keys")).body
  expect(keys.length).toBe(1)
})

it("reseals more values than one batch holds in one run", async () => {
  const owner = await makeWorkspace(plane)
  await connectSso(plane, owner, standIn, { domain: "many.example" })
  for (let count = 0; count < 201; count += 1) {
    expect((await startSso(plane, { organizationId: owner.organizationId })).status).toBe(200)
  }
  const { resealed, skipped } = await resealWith(second, first)
  expect([resealed > 201, skipped]).toEqual([true, 0])
  const sealingKey = (await ringOf(second)).sealingKey()
  expect(new Set((await keysInUse()).map((key) => key.split(" ")[1]))).toEqual(new Set([sealingKey]))
  expect(await resealWith(first, second)).toEqual({ resealed, skipped: 0 })
})

/** A control plane whose events are signed with a key of their own. */
const makeWithSigningKey = () => makeControlPlane({ workers: false, secretKeys: [first], signingKeys: [third] })

/** Stops it, discards what only the lost key can read, and starts another one with the second secret key. */
const loseFirstKey = async ({ database, dispose }: TestPlane) => {
  await dispose()
  const discard = Effect.provide(discardUnreadable(true), KeyRing.layer([second], [third]))
  const discarded = await Effect.runPromise(Effect.orDie(onExistingDatabase(database, discard)))
  const after = await makeControlPlane({ workers: false, database, secretKeys: [second], signingKeys: [third] })
  return { after, discarded }
}

// Two control planes cannot share an embedded database.
it.runIf(plane.database.kind === "postgres")(
  "verifies audit checkpoints that a lost signing key has signed, as long as the keys of the events are separate",
  async () => {
    const before = await makeWithSigningKey()
    const owner = await makeWorkspace(before)
    await owner.call("POST", "/v1/teams", { name: "Before" })
    expect(await checkpointEvents(before)).toBeGreaterThan(0)
    const { after, discarded } = await loseFirstKey(before)
    expect(discarded.values.map(({ column }) => column)).toEqual(["secret_canary", "signing_keys"])
    const again = call(after, owner.token)
    await again("POST", "/v1/teams", { name: "After" })
    expect(await checkpointEvents(after)).toBeGreaterThan(0)
    const { items } = (await again("GET", "/v1/audit-events/checkpoints")).body
    expect(new Set(items.map(({ keyId }: { readonly keyId: string }) => keyId)).size).toBe(2)
    expect((await again("POST", "/v1/audit-events/verify")).body.verification.valid).toBe(true)
  }
)

// Two control planes cannot share an embedded database.
it.runIf(plane.database.kind === "postgres")(
  "accepts what was signed with an older key, as long as that key is configured",
  async () => {
    const before = await makeControlPlane({ workers: false, secretKeys: [first] })
    const owner = await makeWorkspace(before)
    for (const name of ["One", "Two"]) await owner.call("POST", "/v1/teams", { name })
    const { nextCursor } = (await owner.call("GET", "/v1/teams?limit=1")).body
    // While it runs, the others encrypt with its key.
    await before.dispose()
    const pageWith = async (
      secretKeys: readonly [string, ...ReadonlyArray<string>],
      signingKeys: ReadonlyArray<string> = []
    ) => {
      const after = await makeControlPlane({ workers: false, database: before.database, secretKeys, signingKeys })
      const { body, status } = await call(after, owner.token)("GET", `/v1/teams?limit=1&cursor=${nextCursor}`)
      return [status, body.items?.map(({ name }: { readonly name: string }) => name)]
    }
    expect(await pageWith([second, first])).toEqual([200, ["One"]])
    expect(await pageWith([second])).toEqual([400, undefined])
    // A signing key replaces the signatures of the secret keys, and as a signing key, an old secret key still verifies.
    expect(await pageWith([second, first], [third])).toEqual([200, ["One"]])
    expect(await pageWith([second], [third, first])).toEqual([200, ["One"]])
    expect(await pageWith([second], [third])).toEqual([400, undefined])
  }
)

it.runIf(plane.database.kind === "postgres")(
  "records a discarded secret in the events of its organization",
  async () => {
    const before = await makeWithSigningKey()
    const owner = await makeWorkspace(before)
    const provider = { name: "Models", providerId: "custom", baseUrl: "https://llm.example/v1" }
    const { id } = (await owner.call("POST", "/v1/llm-providers", provider)).body.llmProvider
    expect((await owner.call("PUT", `/v1/llm-providers/${id}/credential`, { apiKey: "sk-lost" })).status).toBe(200)
    const { after } = await loseFirstKey(before)
    await sealEvents(after)
    const { body } = await call(after, owner.token)("GET", "/v1/events?types=secret.discard")
    expect(body.items.map(({ object }: { readonly object: { readonly id: string } }) => object.id)).toEqual([id])
  }
)
