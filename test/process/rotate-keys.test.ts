import * as Effect from "effect/Effect"
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { sealContext } from "../../packages/server/src/agents/oauth/index.ts"
import { keyIdOf, KeyRing } from "../../packages/server/src/infra/crypto/key-ring.ts"
import type { Database } from "../../packages/server/src/infra/options.ts"
import { type Sql, SqlDatabase } from "../../packages/server/src/infra/sql/client.ts"
import { onExistingDatabase } from "../../packages/server/src/infra/sql/database.ts"
import { startPostgres } from "../postgres/start.ts"
import {
  ask,
  beginServer,
  makeDataDir,
  makeFolder,
  makeWorkspace,
  type Running,
  runServer,
  startServer,
  until
} from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 })

type Environment = Readonly<Record<string, string>>

const [old, newer] = ["an older secret that is long enough to be one", "a newer secret that is long enough to be one"]
const [oldId, newerId] = [keyIdOf(old), keyIdOf(newer)]

const rotate = (environment: Environment, ...options: ReadonlyArray<string>) =>
  runServer(environment, { arguments: ["rotate-keys", ...options] })

/** On a busy machine, a command prints its progress every five seconds. */
const progress = /^(?:Re-encrypting secrets.*\n)*$/

const resultOf = async (environment: Environment, code: number, ...options: ReadonlyArray<string>) => {
  const ended = await rotate(environment, "--json", ...options)
  expect(ended).toMatchObject({ code, stderr: expect.stringMatching(progress) })
  return JSON.parse(ended.stdout)
}

interface KeyStatus {
  readonly keyId: string
  readonly use: string
  readonly total: number
  readonly values: ReadonlyArray<{ readonly column: string; readonly count: number }>
  readonly missingOn: ReadonlyArray<string>
}

const statusOf = async (environment: Environment): Promise<ReadonlyArray<KeyStatus>> =>
  (await resultOf(environment, 0, "--status")).keys

const stop = async (server: Running) => {
  server.signal("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
}

/** Creates an LLM provider with a stored key. */
const makeProvider = async (baseUrl: string, token: string, name: string): Promise<string> => {
  const created = await ask(baseUrl, token, "POST", "/v1/llm-providers", {
    name,
    providerId: "custom",
    baseUrl: "https://llm.invalid/v1",
    apiFormat: "openai_compatible"
  })
  expect(created.status).toBe(201)
  const id: string = created.body.llmProvider.id
  expect(
    (await ask(baseUrl, token, "POST", `/v1/llm-providers/${id}/access`, { orgWide: true, role: "viewer" })).status
  ).toBe(201)
  return id
}

const storeKey = (baseUrl: string, token: string, id: string, apiKey: string) =>
  ask(baseUrl, token, "PUT", `/v1/llm-providers/${id}/credential`, { apiKey })

interface StoredEvent {
  readonly actorKind: string
  readonly targetId: string | null
  readonly after: { readonly value?: string } | null
}
/** An audit event of a discarded secret, on one line. */
const discardOf = ({ actorKind, after, targetId }: StoredEvent) => `${actorKind} ${after?.value} ${targetId}`

const readKey = (baseUrl: string, token: string, id: string) =>
  ask(baseUrl, token, "POST", `/v1/llm-providers/${id}/connect`)

const onTables = <A>(database: Database, use: (sql: Sql) => Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(Effect.orDie(onExistingDatabase(database, Effect.flatMap(SqlDatabase, use))))

/** Inserts credentials that a key encrypts, as many as a large installation has. */
const insertSealed = (sql: Sql, secret: string, count: number) =>
  Effect.gen(function* () {
    const keys = yield* KeyRing
    const [row] = yield* sql<{ id: `org_${string}` }>`SELECT id FROM organizations LIMIT 1`
    const organizationId = row?.id ?? "org_none"
    const subjects = Array.from({ length: count }, (_, index) => `llp_bulk${String(index).padStart(6, "0")}`)
    const sealed = subjects.map((subjectId) =>
      keys.seal(
        sealContext({ organizationId, purpose: "llm", subjectId, membershipId: null }),
        `{"accessToken":"${subjectId}","refreshToken":null,"clientSecret":null}`
      )
    )
    const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex")
    for (let at = 0; at < count; at += 1000) {
      const rows = subjects.slice(at, at + 1000).map((subject, index) => ({
        subject,
        key: sealed[at + index]?.keyId,
        nonce: hex(sealed[at + index]?.nonce),
        body: hex(sealed[at + index]?.ciphertext)
      }))
      yield* sql`INSERT INTO oauth_credentials (organization_id, purpose, subject_id, kind, status, key_id, nonce,
          ciphertext, created_at, updated_at)
        SELECT ${organizationId}, 'llm', subject, 'apikey', 'ready', key, decode(nonce, 'hex'), decode(body, 'hex'),
          now(), now()
        FROM jsonb_to_recordset(${sql.json(rows)}) AS r (subject text, key text, nonce text, body text)`
    }
  }).pipe(Effect.provide(KeyRing.layer([secret])))

const countOf = (sql: Sql, keyId: string) =>
  Effect.map(
    sql<{ count: number }>`SELECT count(*)::int AS count FROM oauth_credentials WHERE key_id = ${keyId}`,
    ([row]) => row?.count ?? 0
  )

/** Requests that store and read secrets, each alternately at all servers in service. */
const startLoad = async (servers: ReadonlyArray<Running>, token: string, writersCount = 2) => {
  let inService = [...servers]
  const running = new Map<string, number>()
  const failures: Array<string> = []
  let rounds = 0
  let turn = 0
  const stopping = new AbortController()
  /** Sends a request to the next server, as a load balancer does. */
  const send = async (request: (baseUrl: string) => ReturnType<typeof ask>) => {
    for (;;) {
      const { baseUrl } = inService[(turn += 1) % inService.length] ?? { baseUrl: "" }
      running.set(baseUrl, (running.get(baseUrl) ?? 0) + 1)
      const response = await request(baseUrl)
        .catch((error: unknown) => ({ status: 0, text: String(error), body: undefined }))
        .finally(() => running.set(baseUrl, (running.get(baseUrl) ?? 1) - 1))
      // The rate limit of a session.
      if (response.status !== 429) return response
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
  const write = async (writer: number) => {
    const [first] = inService
    const id = await makeProvider(first?.baseUrl ?? "", token, `Provider ${writer}`)
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const apiKey = `key-${writer}-${count}`
      const stored = await send((baseUrl) => storeKey(baseUrl, token, id, apiKey))
      if (stored.status !== 200) failures.push(`store: ${stored.status} ${stored.text}`)
      for (let reads = 0; reads < 2; reads += 1) {
        const read = await send((baseUrl) => readKey(baseUrl, token, id))
        if (read.status !== 200 || !read.text.includes(apiKey)) failures.push(`read: ${read.status} ${read.text}`)
      }
      rounds += 1
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
  }
  const writers = Promise.all(Array.from({ length: writersCount }, (_, index) => write(index)))
  /** Waits until every writer has stored and read a secret after this moment. */
  const continues = () => {
    const before = rounds
    return until(
      async () => rounds,
      (count) => count >= before + 2 * writersCount || failures.length > 0
    )
  }
  await continues()
  return {
    failures,
    continues,
    /** Restarts one server without failed requests: the others serve meanwhile. */
    replace: async (server: Running, start: () => Promise<Running>): Promise<Running> => {
      inService = inService.filter((other) => other !== server)
      await until(
        async () => running.get(server.baseUrl) ?? 0,
        (count) => count === 0
      )
      await stop(server)
      const next = await start()
      inService = [...inService, next]
      await continues()
      return next
    },
    end: async () => {
      stopping.abort()
      await writers
      expect(failures).toEqual([])
    }
  }
}

describe("the key file of a data directory", () => {
  it("is rotated while the server serves, and the older key is retired after a restart", async () => {
    const dataDir = makeDataDir()
    const keyFile = join(dataDir, "secret-key")
    const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
    const server = await startServer(environment)
    const token = await makeWorkspace(server.baseUrl)
    const before = readFileSync(keyFile, "utf8")
    const beforeId = keyIdOf(before.trim())
    const load = await startLoad([server], token)
    expect((await ask(server.baseUrl, undefined, "GET", "/v1/keys")).status).toBe(200)

    const rotated = await resultOf(environment, 0)
    expect(rotated).toMatchObject({
      isNew: true,
      keyFile,
      unreadable: null,
      older: [{ keyId: beforeId, state: "needed", reason: expect.stringContaining("Restart it") }]
    })
    // The signing key; other values may have been replaced by requests meanwhile.
    expect(rotated.resealed).toBeGreaterThanOrEqual(1)
    const [created = "", second] = readFileSync(keyFile, "utf8").split("\n")
    expect([keyIdOf(created), `${second}\n`]).toEqual([rotated.newest, before])
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    await load.continues()
    expect(await statusOf(environment)).toMatchObject([
      { keyId: rotated.newest, use: "encrypts" },
      { keyId: beforeId, use: "decrypts", total: 0 }
    ])

    // A second run continues: it creates no other key.
    expect(await resultOf(environment, 0)).toMatchObject({ isNew: false, newest: rotated.newest })
    expect(await resultOf(environment, 1, "--finish")).toMatchObject({ older: [{ state: "needed" }] })
    await load.end()
    await stop(server)

    const again = await startServer(environment)
    const more = await startLoad([again], await makeWorkspace(again.baseUrl))
    expect(await resultOf(environment, 0, "--finish")).toMatchObject({
      isNew: false,
      newest: rotated.newest,
      older: [{ keyId: beforeId, state: "retired", reason: null }]
    })
    expect(readFileSync(keyFile, "utf8")).toBe(`${created}\nverify:${before}`)
    await more.continues()
    await more.end()
    // The audit log contains events that each key has signed.
    const verified = async (baseUrl: string) =>
      (await ask(baseUrl, token, "POST", "/v1/audit-events/verify")).body.verification
    expect(await verified(again.baseUrl)).toMatchObject({ valid: true })
    await stop(again)
    const last = await startServer(environment)
    expect(await verified(last.baseUrl)).toMatchObject({ valid: true })
    await stop(last)
    expect((await runServer(environment, { arguments: ["doctor"] })).stdout).toMatch(
      /^ok +keys +1 key configured\. The newest encrypts all secrets/m
    )
  })
})

describe("configured keys on a PostgreSQL server", () => {
  it("are rotated on two servers without a failed request, and no unsafe step is accepted", async () => {
    const postgres = await startPostgres()
    try {
      const withKeys = (keys: string): Environment => ({
        ORGPLANE_DATA_DIR: makeFolder(),
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: keys,
        ORGPLANE_SEED: "none",
        ORGPLANE_LOG_LEVEL: "warn"
      })
      const starting = (keys: string) => () => startServer(withKeys(keys))
      let first = await startServer(withKeys(old))
      let second = await startServer(withKeys(old))
      const token = await makeWorkspace(first.baseUrl)
      const load = await startLoad([first, second], token)
      const both = `${newer},${old}`

      // No server has the new key yet.
      const early = await rotate(withKeys(both))
      expect([early.code, early.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^The server .* cannot decrypt with the key .*, so nothing was changed\. Add the key to the end/
        )
      ])
      // One server has it first, although the other cannot decrypt with it: it keeps encrypting with the older key.
      first = await load.replace(first, starting(both))
      expect(first.stderr()).toContain(
        `New secrets are encrypted with the key ${oldId} until every server has both keys.`
      )
      const [ofNewer] = await statusOf(withKeys(both))
      expect(ofNewer).toMatchObject({ keyId: newerId, use: "encrypts", total: 0, missingOn: [expect.any(String)] })
      expect((await rotate(withKeys(both))).code).toBe(1)

      second = await load.replace(second, starting(both))
      await until(
        () => statusOf(withKeys(both)),
        ([key]) => key?.values.some(({ column }) => column === "secret_canary") === true
      )
      // A server that has only the older key could not decrypt new secrets, so it does not start.
      const late = await runServer(withKeys(old))
      expect([late.code, late.stderr]).toEqual([
        1,
        expect.stringMatching(/The secret keys cannot decrypt .* No configured key decrypts .*secret_canary/)
      ])
      const rotated = await resultOf(withKeys(both), 0)
      expect(rotated).toMatchObject({ isNew: false, keyFile: null, newest: newerId, unreadable: null })
      // The first server has encrypted with the older key since its start, and a request may still be writing.
      expect(rotated.older).toMatchObject([
        { keyId: oldId, state: "needed", reason: expect.stringContaining("Restart it") }
      ])
      expect(await resultOf(withKeys(both), 1, "--finish")).toMatchObject({ older: [{ state: "needed" }] })

      first = await load.replace(first, starting(both))
      await until(
        () => rotate(withKeys(both), "--finish"),
        ({ code }) => code === 0
      )
      expect(await resultOf(withKeys(both), 0, "--finish")).toMatchObject({
        resealed: 0,
        older: [{ keyId: oldId, state: "unused", reason: null }]
      })
      const doctor = await runServer(withKeys(both), { arguments: ["doctor"] })
      expect(doctor.stdout).toContain(`The key ${oldId} is configured and encrypts no secret.`)

      const retired = `${newer},verify:${old}`
      first = await load.replace(first, starting(retired))
      second = await load.replace(second, starting(retired))
      await load.end()
      expect((await ask(second.baseUrl, token, "POST", "/v1/audit-events/verify")).body.verification).toMatchObject({
        valid: true
      })
      const keys = await statusOf(withKeys(retired))
      expect(keys.map(({ keyId, total, use }) => [keyId, use, total > 0])).toEqual([
        [newerId, "encrypts", true],
        [oldId, "verifies", false]
      ])
      await stop(first)
      await stop(second)
    } finally {
      await postgres.stop()
    }
  })

  it("stay usable in part after a key was removed too early, and the server names what it cannot decrypt", async () => {
    const postgres = await startPostgres()
    try {
      const environment = (keys: string): Environment => ({
        ORGPLANE_DATA_DIR: makeFolder(),
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: keys,
        ORGPLANE_SEED: "none",
        ORGPLANE_LOG_LEVEL: "warn"
      })
      const before = await startServer(environment(old))
      const token = await makeWorkspace(before.baseUrl)
      const provider = await makeProvider(before.baseUrl, token, "Provider")
      expect((await storeKey(before.baseUrl, token, provider, "the-key")).status).toBe(200)
      await stop(before)
      // The check value is encrypted with the newer key, and the rest is not yet.
      await stop(await startServer(environment(`${newer},${old}`)))

      const server = await startServer(environment(newer))
      await until(
        async () => server.stderr() + server.stdout(),
        (text) => text.includes("No configured key decrypts")
      )
      expect(server.stderr() + server.stdout()).toContain("credentials for other servers (oauth_credentials: 1)")
      const refused = await readKey(server.baseUrl, token, provider)
      expect([refused.status, refused.body.message]).toEqual([
        409,
        "not_connected: The stored credential cannot be decrypted, because the secret key of the server was lost. Connect again, or set the key again."
      ])
      const doctor = await runServer(environment(newer), { arguments: ["doctor"] })
      expect([doctor.code, doctor.stdout]).toEqual([
        1,
        expect.stringMatching(/failed +keys +\d+ secrets? cannot be decrypted.*\(oauth_credentials: 1\)/)
      ])
      await stop(server)

      const again = await startServer(environment(`${newer},${old}`))
      expect((await readKey(again.baseUrl, token, provider)).text).toContain("the-key")
      await stop(again)
    } finally {
      await postgres.stop()
    }
  })

  it("can be replaced after all of them were lost: what they encrypted is deleted, and nothing else", async () => {
    const postgres = await startPostgres()
    try {
      const environment = (keys: string): Environment => ({
        ORGPLANE_DATA_DIR: makeFolder(),
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: keys,
        ORGPLANE_SIGNING_KEYS: "a signing key that is separate from the secret keys",
        ORGPLANE_SEED: "none"
      })
      const before = await startServer(environment(old))
      const token = await makeWorkspace(before.baseUrl)
      const provider = await makeProvider(before.baseUrl, token, "Provider")
      expect((await storeKey(before.baseUrl, token, provider, "the-key")).status).toBe(200)
      const connection = await ask(before.baseUrl, token, "POST", "/v1/mcp-connections", {
        name: "By hand",
        url: "https://mcp.invalid/mcp",
        authType: "oauth",
        oauthClient: { clientId: "ours", clientSecret: "a-secret-of-the-client" }
      })
      expect(connection.status).toBe(201)
      const [signingKey] = (await ask(before.baseUrl, undefined, "GET", "/v1/keys")).body.keys
      const early = await rotate(environment(newer), "--discard-unreadable", "--yes")
      expect([early.code, early.stderr]).toEqual([
        1,
        expect.stringMatching(/^Stop all servers first: .* Nothing was changed\.$/m)
      ])
      await stop(before)

      expect(await runServer(environment(newer))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("orgplane-server rotate-keys --discard-unreadable")
      })
      const listed = await rotate(environment(newer), "--discard-unreadable")
      expect([listed.code, listed.stdout]).toEqual([
        1,
        "No configured key decrypts check values (secret_canary: 1), signing keys (signing_keys: 1), " +
          "credentials for other servers (oauth_credentials: 1), MCP client secrets (sealed_values of mcp_connections: 1).\n" +
          "Nothing was changed. If a copy of the key exists, restore it. To delete these secrets, run the command again with --yes.\n"
      ])
      await stop(await startServer(environment(old)))

      expect(await resultOf(environment(newer), 0, "--discard-unreadable", "--yes")).toMatchObject({ isDone: true })
      const after = await startServer(environment(newer))
      const refused = await readKey(after.baseUrl, token, provider)
      expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("set the key again")])
      expect((await storeKey(after.baseUrl, token, provider, "another-key")).status).toBe(200)
      expect((await readKey(after.baseUrl, token, provider)).text).toContain("another-key")
      const events = await ask(after.baseUrl, token, "GET", "/v1/audit-events?action=secret.discard")
      expect((events.body.items as ReadonlyArray<StoredEvent>).map(discardOf).toSorted()).toEqual(
        [
          `system oauth_credentials ${provider}`,
          `system sealed_values of mcp_connections ${connection.body.mcpConnection.id}`
        ].toSorted()
      )
      expect(events.text).not.toContain("the-key")
      // The lost signing key still verifies, and another one signs.
      const { keys } = (await ask(after.baseUrl, undefined, "GET", "/v1/keys")).body
      expect([keys.length, keys[1]]).toEqual([2, { ...signingKey, retiredAt: expect.stringMatching(/Z$/) }])
      expect((await ask(after.baseUrl, token, "POST", "/v1/audit-events/verify")).body.verification.valid).toBe(true)
      await stop(after)
      expect(await runServer(environment(newer), { arguments: ["doctor"] })).toMatchObject({ code: 0 })
      expect(await rotate(environment(newer), "--discard-unreadable")).toMatchObject({
        code: 0,
        stdout: "The configured keys decrypt every secret. Nothing was changed.\n"
      })
    } finally {
      await postgres.stop()
    }
  })

  it("continue a rotation that was killed", async () => {
    const postgres = await startPostgres()
    try {
      const environment = {
        ORGPLANE_DATA_DIR: makeFolder(),
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: old,
        ORGPLANE_SEED: "none"
      }
      const database: Database = { kind: "postgres", url: postgres.url }
      const server = await startServer(environment)
      await makeWorkspace(server.baseUrl)
      await stop(server)
      const count = 3000
      await onTables(database, (sql) => insertSealed(sql, old, count))
      const both = { ...environment, ORGPLANE_SECRET_KEYS: `${newer},${old}` }
      const running = beginServer(both, { arguments: ["rotate-keys"] })
      const resealed = () => onTables(database, (sql) => countOf(sql, newerId))
      await until(resealed, (done) => done > 0)
      running.signal("SIGKILL")
      await running.ended
      const done = await resealed()
      expect(done).toBeLessThan(count)
      // Each batch is one transaction.
      expect(done % 100).toBe(0)

      const rest = await resultOf(both, 0, "--finish")
      expect(rest).toMatchObject({ unreadable: null, older: [{ keyId: oldId, state: "unused" }] })
      expect(rest.resealed).toBe(count - done)
      expect(await resealed()).toBe(count)
      expect(await resultOf({ ...both, ORGPLANE_SECRET_KEYS: newer }, 0)).toMatchObject({ resealed: 0, older: [] })
    } finally {
      await postgres.stop()
    }
  })
})

it("continues a rotation of a key file that was killed, without another key", async () => {
  const dataDir = makeDataDir()
  const keyFile = join(dataDir, "secret-key")
  const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
  const server = await startServer(environment)
  await makeWorkspace(server.baseUrl)
  await stop(server)
  const before = readFileSync(keyFile, "utf8").trim()
  const database: Database = { kind: "pglite", dataDir }
  const count = 10_000
  await onTables(database, (sql) => insertSealed(sql, before, count))
  const running = beginServer(environment, { arguments: ["rotate-keys"] })
  await until(
    async () => running.stderr(),
    (text) => /Re-encrypting secrets: [1-9]/.test(text)
  )
  running.signal("SIGKILL")
  await running.ended
  const [created = "", second] = readFileSync(keyFile, "utf8").trim().split("\n")
  expect(second).toBe(before)
  const done = await onTables(database, (sql) => countOf(sql, keyIdOf(created)))
  expect([done > 0, done < count]).toEqual([true, true])

  const ended = await rotate(environment)
  expect(ended.stdout).toBe(
    `Re-encrypted ${count - done} secrets with the key ${keyIdOf(created)}.\n` +
      `Retired the key ${keyIdOf(before)}. It only verifies what it has signed.\n`
  )
  expect(readFileSync(keyFile, "utf8")).toBe(`${created}\nverify:${before}\n`)
  expect(await onTables(database, (sql) => countOf(sql, keyIdOf(created)))).toBe(count)
})

it("replaces a lost key file only when the operator deletes what it encrypted", async () => {
  const dataDir = makeDataDir()
  const keyFile = join(dataDir, "secret-key")
  const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
  const before = await startServer(environment)
  const token = await makeWorkspace(before.baseUrl)
  const provider = await makeProvider(before.baseUrl, token, "Provider")
  expect((await storeKey(before.baseUrl, token, provider, "the-key")).status).toBe(200)
  const running = await rotate(environment, "--discard-unreadable", "--yes")
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining("Stop the server")])
  await stop(before)
  const lostId = keyIdOf(readFileSync(keyFile, "utf8").trim())
  rmSync(keyFile)

  const refused = await runServer(environment)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("secret-key is missing")])
  expect(await statusOf(environment)).toMatchObject([{ keyId: lostId, use: "not configured" }])
  expect((await rotate(environment)).stderr).toContain("secret-key is missing")
  expect(await rotate(environment, "--discard-unreadable")).toMatchObject({ code: 1 })
  expect(existsSync(keyFile)).toBe(false)

  expect(await resultOf(environment, 0, "--discard-unreadable", "--yes")).toMatchObject({ isDone: true })
  const after = await startServer(environment)
  expect((await readKey(after.baseUrl, token, provider)).status).toBe(409)
  expect((await storeKey(after.baseUrl, token, provider, "another-key")).status).toBe(200)
  expect((await readKey(after.baseUrl, token, provider)).text).toContain("another-key")
  const events = await ask(after.baseUrl, token, "GET", "/v1/audit-events?action=secret.discard")
  expect((events.body.items as ReadonlyArray<StoredEvent>).map(discardOf)).toEqual([
    `system oauth_credentials ${provider}`
  ])
  // The lost key has also signed the audit log.
  expect((await ask(after.baseUrl, token, "POST", "/v1/audit-events/verify")).body.verification).toMatchObject({
    valid: false,
    reason: expect.stringContaining("sealed with a key that is not in ORGPLANE_SIGNING_KEYS")
  })
  await stop(after)
})

it("rotates the signing key of a running server: both keys are listed, and the earlier one only verifies", async () => {
  const environment = { ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none" }
  const server = await startServer(environment)
  const keys = async (): Promise<ReadonlyArray<{ readonly kid: string }>> =>
    (await ask(server.baseUrl, undefined, "GET", "/v1/keys")).body.keys
  const [first] = await keys()
  const { created, retired } = await resultOf(environment, 0, "--signing-key")
  expect(retired).toEqual([first?.kid])
  expect((await keys()).map(({ kid }) => kid)).toEqual([created, first?.kid])
  await stop(server)
  const ended = await rotate(environment, "--signing-key")
  expect(ended.stdout).toMatch(
    new RegExp(`^Created the signing key \\w+\\.\nThe signing key ${created} only verifies from now on\\.\n$`)
  )
})

it("refuses options that do not belong together, and a directory without a database", async () => {
  for (const [options, message] of [
    [["--status", "--finish"], "--finish and --status cannot be combined."],
    [["--yes"], "--yes requires --discard-unreadable."],
    [["--what"], "Unknown arguments: --what."]
  ] as const) {
    expect(await rotate({}, ...options)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  }
  const missing = join(makeFolder(), "data")
  expect(await rotate({}, "--data-dir", missing)).toMatchObject({
    code: 1,
    stderr: `${missing} contains no database. Check --data-dir or ORGPLANE_DATA_DIR.\n`
  })
  const dataDir = makeDataDir()
  writeFileSync(join(dataDir, "secret-key"), `${old}\nshort\n`, { mode: 0o600 })
  expect(await rotate({}, "--data-dir", dataDir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Line 2 of the secret key")
  })
})
