import "./setup/context.ts"
import { createClient, type OrgplaneClient } from "@orgplane/client"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { conforming } from "../../../test/conformance.ts"
import type { Id } from "@orgplane/schema/shared/ids"
import type * as Context from "effect/Context"
import { BootstrapService } from "../src/identity/bootstrap/service.ts"
import { sha256Bytes } from "../src/infra/crypto/digest.ts"
import { makeToken } from "../src/infra/crypto/tokens.ts"
import { makeId } from "../src/infra/ids.ts"
import * as marketplaces from "../src/content/marketplaces/repo.ts"
import * as members from "../src/identity/members/repo.ts"
import type { ControlPlaneOptions, Database } from "../src/infra/options.ts"
import { DnsText, DnsTextFailed, type Mail } from "../src/infra/ports/index.ts"
import * as sessions from "../src/identity/sessions/repo.ts"
import { type Sql, SqlDatabase } from "../src/infra/sql/client.ts"
import { start } from "../src/start.ts"
import { textOf } from "./response-text.ts"
import { contractFaults, releases } from "./setup/file-state.ts"

export const engine = inject("engine")

/** Runs statements on the test's PostgreSQL server directly. */
const onServer = (statement: string, url = inject("postgresUrl")) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) =>
        connection.query(statement, [], false)
      )
    )
  )

/** The platform administrator of every test installation. */
export const platformAdmin = "root@installation.example"

/** The webhook secret of the tests' code host. */
export const webhookSecret = "the secret of the code host in tests"

/** A copy of a database of the test's PostgreSQL server. */
export const copyDatabase = async (template: string): Promise<string> => {
  const name = `t_${randomBytes(8).toString("hex")}`
  // A copy of the files costs half as much processor time as a logged copy.
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  // Files that are left make every checkpoint slower.
  releases.push(() => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${name}`
  return url.href
}

/** A separate migrated database. */
export const makeDatabase = async (): Promise<Database> => {
  if (engine === "pglite") {
    return { kind: "pglite", dataDir: "memory", snapshot: readFileSync(inject("snapshotPath")) }
  }
  return { kind: "postgres", url: await copyDatabase(inject("postgresTemplate")), maxConnections: 6 }
}

const silentNames = Layer.succeed(DnsText, {
  lookup: () => Effect.fail(new DnsTextFailed({ code: "unavailable" }))
})

export interface TestPlane extends Awaited<ReturnType<typeof start>> {
  readonly database: Database
  /** A directory whose repositories may be connected by path. */
  readonly repositories: string
  /** Sent emails, the last one at the end; empty with a custom mailer. */
  readonly mails: ReadonlyArray<Mail>
  readonly hasWorkers: boolean
}

/** A control plane on its own database, closed after the test file. */
export const makeControlPlane = async (
  options: Partial<ControlPlaneOptions> = {},
  references?: Layer.Layer<never>
): Promise<TestPlane> => {
  const database = options.database ?? (await makeDatabase())
  const repositories = await realpath(await mkdtemp(join(tmpdir(), "orgplane-test-")))
  const mails: Array<Mail> = []
  const complete: ControlPlaneOptions = {
    mailer: { send: (mail) => Promise.resolve(void mails.push(mail)) },
    secretKeys: ["a secret for tests only, long enough to be one"],
    // A host application in which every user exists, unless the test replaces it.
    personOf: (subject) => Promise.resolve({ subject, name: null, email: null, emailVerified: false }),
    webhookSecrets: [webhookSecret],
    platformAdmins: [platformAdmin],
    // Heads are compared automatically only in tests of the reconciler.
    reconcileSeconds: 0,
    // No model catalog is requested either.
    modelsUrl: "off",
    logLevel: "error",
    ...options,
    // No DNS records are requested either, unless the test has a name server.
    ports: { ...(options.dnsServers === undefined ? { dnsText: silentNames } : {}), ...options.ports },
    database,
    // Starting a process copies the page tables of this large one. `code-host-git.test.ts` reads with both gits.
    git: { localRoots: [repositories], systemGit: false, ...options.git }
  }
  const plane = await start(complete, references)
  const fetch = conforming(plane.fetch, (faults) => contractFaults.push(...faults), options.pathPrefix)
  const hasWorkers = options.workers !== false
  let isOpen = true
  const dispose = () => {
    isOpen = false
    return plane.dispose()
  }
  const opened = { ...plane, dispose, fetch, database, repositories, mails, hasWorkers }
  releases.push(async () => {
    // A dynamic import, because the module imports this one.
    if (isOpen && process.env["ORGPLANE_EVENT_EXAMPLES"] === "write") {
      await (await import("./event-examples.ts")).recordEventExamples(opened, options.pathPrefix)
    }
    await dispose()
    await rm(repositories, { recursive: true, force: true })
  })
  return opened
}

type ServicesOf<C> = C extends Context.Context<infer S> ? S : never

/** Runs an effect on the services of a control plane: to create what no operation creates, never to check results. */
export const withServices = <A, E>(
  plane: TestPlane,
  effect: Effect.Effect<A, E, ServicesOf<TestPlane["services"]>>
): Promise<A> => Effect.runPromise(Effect.provideContext(effect, plane.services))

/** Changes or reads what no operation does, such as timestamps or values that must not be stored. */
export const runSql = <A>(plane: TestPlane, statement: (sql: Sql) => Effect.Effect<A, unknown>): Promise<A> =>
  withServices(plane, Effect.flatMap(SqlDatabase, statement))

export interface Person {
  readonly organizationId: string
  readonly token: string
  readonly client: OrgplaneClient
  /** A raw request with the user's session, or with other `headers`. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Promise<TestResponse>
}

export interface Workspace extends Person {
  readonly membershipId: string
  readonly userId: string
}

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers, and expect() judges what they find
  readonly body: any
}

/** Sends one request through the API; `address` is the source IP address for rate limits. */
export const call =
  (plane: Pick<TestPlane, "fetch">, token?: string, address?: string) =>
  async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<TestResponse> => {
    const response = await plane.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      }),
      address === undefined ? undefined : { remoteAddress: address }
    )
    const text = await textOf(response)
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "")
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined
    }
  }

const signedIn = (plane: TestPlane, organizationId: string, token: string): Person => ({
  organizationId,
  token,
  client: createClient({ baseUrl: "http://localhost", token, fetch: plane.fetch, retries: 0 }),
  call: call(plane, token)
})

/** An ordinary organization (claimed, on the enterprise plan) with its owner signed in. */
export const makeWorkspace = async (plane: TestPlane, name = "Acme"): Promise<Workspace> => {
  const created = await withServices(
    plane,
    Effect.flatMap(BootstrapService, (bootstrap) => bootstrap.seedWorkspace(name))
  )
  return {
    ...signedIn(plane, created.organizationId, created.token),
    membershipId: created.membershipId,
    userId: created.userId
  }
}

/** A new session of a user. */
export const signIn = async (
  plane: TestPlane,
  userId: string,
  organizationId: string | null,
  session: { readonly lifetimeSeconds?: number } = {}
): Promise<{ readonly id: string; readonly token: string }> => {
  const token = makeToken("ops")
  const id = makeId("ses")
  await withServices(
    plane,
    Effect.flatMap(SqlDatabase, (sql) =>
      sessions.create(sql, {
        id,
        tokenDigest: sha256Bytes(token),
        userId: userId as Id<"usr">,
        organizationId: organizationId as Id<"org"> | null,
        kind: "email",
        lifetimeSeconds: session.lifetimeSeconds ?? 3600
      })
    )
  )
  return { id, token }
}

/** Another user in an organization. */
export const addMember = async (plane: TestPlane, workspace: Person, role: string): Promise<Workspace> => {
  const organizationId = workspace.organizationId as Id<"org">
  const membershipId = makeId("om")
  const userId = makeId("usr")
  await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      yield* members.createUser(sql, userId, `A ${role}`)
      yield* members.create(sql, organizationId, { id: membershipId, userId, role })
    })
  )
  const { token } = await signIn(plane, userId, organizationId)
  return { ...signedIn(plane, organizationId, token), membershipId, userId }
}

let teams = 0

/** A team of members, created by an admin. */
export const makeTeam = async (
  workspace: Person,
  team: ReadonlyArray<Workspace>,
  name = `Team ${(teams += 1)}`
): Promise<string> => {
  const response = await workspace.call("POST", "/v1/teams", { name })
  if (response.status !== 201) throw new Error(`Making a team ended with ${response.status}: ${response.text}`)
  const { id } = response.body.team
  for (const { membershipId } of team) {
    await workspace.call("PUT", `/v1/teams/${id}/members/${membershipId}`)
  }
  return id
}

/** A marketplace of plugins, private to its creator. */
export const makeMarketplace = async (
  plane: TestPlane,
  workspace: Workspace,
  pluginIds: ReadonlyArray<string> = [],
  name = "A marketplace"
): Promise<string> => {
  const id = makeId("mkt")
  const organizationId = workspace.organizationId as Id<"org">
  const createdBy = workspace.membershipId as Id<"om">
  await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      yield* marketplaces.create(sql, organizationId, { id, name, description: null, targetId: null }, createdBy)
      yield* marketplaces.addPlugins(
        sql,
        organizationId,
        id,
        pluginIds.map((pluginId) => ({ id: makeId("mkp"), pluginId: pluginId as Id<"plg"> })),
        createdBy
      )
    })
  )
  return id
}

/** A connector with one branch and one completed sync, without a repository. */
export const makeConnector = async (plane: TestPlane, workspace: Workspace, name = "A connector") => {
  const organizationId = workspace.organizationId
  const created = {
    connectorAccountId: makeId("cac"),
    connectorInstanceId: makeId("cin"),
    connectorTargetId: makeId("ctg"),
    connectorSyncEventId: makeId("cse")
  }
  const remoteId = `file://${join(plane.repositories, created.connectorInstanceId)}`
  const counts = {
    filesScanned: 0,
    objectsCreated: 0,
    objectsUpdated: 0,
    objectsDeleted: 0,
    objectsUnchanged: 0,
    pluginsCreated: 0
  }
  await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      yield* sql`INSERT INTO connector_accounts (organization_id, id, adapter, remote_id, name, created_at, updated_at)
        VALUES (${organizationId}, ${created.connectorAccountId}, 'git', ${created.connectorAccountId}, 'file', now(), now())`
      yield* sql`INSERT INTO connector_instances (organization_id, id, connector_account_id, adapter, remote_id, name,
          status, repository_full_name, created_by_membership_id, created_at, updated_at)
        VALUES (${organizationId}, ${created.connectorInstanceId}, ${created.connectorAccountId}, 'git', ${remoteId}, ${name},
          'active', ${name}, ${workspace.membershipId}, now(), now())`
      yield* sql`INSERT INTO connector_targets (organization_id, id, connector_instance_id, remote_id, branch, created_at,
          updated_at)
        VALUES (${organizationId}, ${created.connectorTargetId}, ${created.connectorInstanceId}, ${`${remoteId}#main`}, 'main',
          now(), now())`
      yield* sql`INSERT INTO sync_events (organization_id, id, connector_instance_id, connector_target_id, status, trigger,
          counts_json, created_at, ended_at)
        VALUES (${organizationId}, ${created.connectorSyncEventId}, ${created.connectorInstanceId}, ${created.connectorTargetId},
          'completed', 'manual', ${sql.json(counts)}, now(), now())`
    })
  )
  return created
}

/**
 * The number of rows of each table, which a rejected request must not change. Tables that change in the background are
 * omitted.
 */
export const rowCounts = (plane: TestPlane): Promise<Readonly<Record<string, number>>> =>
  withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const checks = sql<{ n: number }>`SELECT 1 AS n FROM plugin_release_checks LIMIT 1`
      while (plane.hasWorkers && (yield* checks).length > 0) yield* Effect.sleep("20 millis")
      const tables = yield* sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT IN ('rate_windows', 'audit_chains', 'audit_checkpoints', 'activity_days')
        ORDER BY table_name`
      const counts: Record<string, number> = {}
      for (const { name } of tables) {
        const [row] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM ${sql(name)}`
        counts[name] = row?.count ?? 0
      }
      return counts
    })
  )

/** An address without earlier requests. */
export const someAddress = (): string => `10.${[...randomBytes(3)].join(".")}`

/** The last email to an address; emails are sent after the response. */
export const emailTo = async (plane: TestPlane, to: string, after = 0): Promise<Mail> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const mail = plane.mails.slice(after).findLast((mail) => mail.to === to)
    if (mail !== undefined) return mail
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`No email to ${to} was sent.`)
}

export interface SignedInPerson extends Person {
  readonly userId: string
  readonly sessionId: string
}

/** A user who signs in by email, existing or new, without their own organization. */
export const signInByEmail = async (plane: TestPlane, email: string): Promise<SignedInPerson> => {
  const before = plane.mails.length
  const from = call(plane, undefined, someAddress())
  const started = await from("POST", "/v1/sessions/email", { email })
  if (started.status !== 202) throw new Error(`Signing in began with ${started.status}: ${started.text}`)
  const { text } = await emailTo(plane, email.toLowerCase(), before)
  const code = /#challenge=[\w-]+&code=(\w+)/.exec(text)?.[1]
  const signedInto = await from("POST", "/v1/sessions/email/verify", { challengeId: started.body.challengeId, code })
  if (signedInto.status !== 201) throw new Error(`Signing in ended with ${signedInto.status}: ${signedInto.text}`)
  const { session, user } = signedInto.body
  return { ...signedIn(plane, "", session.token), userId: user.id, sessionId: session.id }
}

export interface TestWorker {
  readonly workerId: string
  readonly tokenId: string
  readonly token: string
  readonly call: Person["call"]
}

/** A token of a worker of the member; the worker may not exist. */
export const makeWorkerToken = async (
  plane: TestPlane,
  { membershipId, organizationId, userId }: Workspace,
  workerId: string = makeId("wrk")
): Promise<TestWorker> => {
  const token = makeToken("opw")
  const tokenId = makeId("wkt")
  await runSql(
    plane,
    (sql) => sql`INSERT INTO worker_tokens (organization_id, id, worker_id, token_digest, created_by_membership_id,
        created_by_user_id, created_at)
      VALUES (${organizationId}, ${tokenId}, ${workerId}, ${sha256Bytes(token)}, ${membershipId}, ${userId}, now())`
  )
  return { workerId, tokenId, token, call: call(plane, token) }
}

export interface TestDirectory {
  readonly directoryId: string
  readonly tokenId: string
  readonly token: string
  readonly call: Person["call"]
}

/** A SCIM token of the organization, of a new directory or an existing one. */
export const makeScimToken = async (plane: TestPlane, owner: Person, directoryId?: string): Promise<TestDirectory> => {
  const response =
    directoryId === undefined
      ? await owner.call("POST", "/v1/scim/directories", { name: "A directory" })
      : await owner.call("POST", `/v1/scim/directories/${directoryId}/tokens`, {})
  if (response.status !== 201) throw new Error(`No token came of it: ${response.status} ${response.text}`)
  const { directory, token } = response.body
  return { directoryId: directory.id, tokenId: directory.tokens[0].id, token, call: call(plane, token) }
}

/** A session that the owner's host application creates for a member: valid for the organization only. */
export const mintSession = async (plane: TestPlane, owner: Person, membershipId: string): Promise<Person> => {
  const response = await owner.call("POST", "/v1/sessions/exchange", { orgMembershipId: membershipId })
  if (response.status !== 201) throw new Error(`The exchange ended with ${response.status}: ${response.text}`)
  return signedIn(plane, owner.organizationId, response.body.session.token)
}

export interface TestKey {
  readonly id: string
  readonly key: string
  /** A raw request with the key. */
  readonly call: Person["call"]
}

/** A raw request with an API key. */
export const callWithKey =
  (plane: Pick<TestPlane, "fetch">, key: string): Person["call"] =>
  (method, path, body, headers = {}) =>
    call(plane)(method, path, body, { "x-api-key": key, ...headers })

/** Creates an API key. */
export const makeKey = async (
  plane: TestPlane,
  person: Person,
  permissions: ReadonlyArray<string>,
  input: object = {}
): Promise<TestKey> => {
  const response = await person.call("POST", "/v1/api-keys", { name: "A key", permissions, ...input })
  if (response.status !== 201) throw new Error(`Making a key ended with ${response.status}: ${response.text}`)
  const { apiKey, key } = response.body
  return { id: apiKey.id, key, call: callWithKey(plane, key) }
}

let roles = 0

/** Creates a role and returns its id. */
export const makeRole = async (person: Person, permissions: ReadonlyArray<string>): Promise<string> => {
  const response = await person.call("POST", "/v1/roles", { name: `Role ${(roles += 1)}`, permissions })
  if (response.status !== 201) throw new Error(`Making a role ended with ${response.status}: ${response.text}`)
  return response.body.role.id
}
