/** Requests of a SCIM directory while the server is killed: each is complete or not done, and a retry has one effect. */
import { createHash, randomInt } from "node:crypto"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { type Ask, inSession } from "../../packages/server/src/infra/sql/execute.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, type HttpResponse, makeFolder, type Running, startServer } from "./server.fixture.ts"

const postgres = await startPostgres({ fsync: true })
const url = await postgres.createDatabase("scim_killed")
afterAll(() => postgres.stop())
const environment = {
  ORGPLANE_DATABASE_URL: url,
  ORGPLANE_DATA_DIR: join(makeFolder(), "data"),
  ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
  ORGPLANE_LOG_LEVEL: "none"
}
const query = <Row extends object>(text: string): Promise<ReadonlyArray<Row>> =>
  inSession(url, (run: Ask) => run<Row>(text))

const kills = 6
const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User"
const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
const patch = (...Operations: ReadonlyArray<object>) => ({ schemas: [patchSchema], Operations })

let server: Running
let token = ""
/** Returns undefined if the server was killed before it responded. */
const scim = (method: string, path: string, body?: unknown): Promise<HttpResponse | undefined> =>
  ask(server.baseUrl, token, method, `/v1/scim/v2${path}`, body).catch(() => undefined)

/** Retries until there is a response, as an identity provider does. */
const sendUntilResponse = async (method: string, path: string, body?: unknown): Promise<HttpResponse> => {
  for (;;) {
    const response = await scim(method, path, body)
    if (response !== undefined && response.status < 500 && response.status !== 429) return response
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const idOf = async (type: "Users" | "Groups", body: object, filter: string): Promise<string> => {
  const created = await sendUntilResponse("POST", `/${type}`, body)
  if (created.status === 201) return String(created.body.id)
  expect([created.status, created.body.scimType]).toEqual([409, "uniqueness"])
  const existing = await sendUntilResponse("GET", `/${type}?filter=${encodeURIComponent(filter)}`)
  expect(existing.body.totalResults).toBe(1)
  return String(existing.body.Resources[0].id)
}

/** One of several clients: creates users, adds them to its group, updates them, and removes some from the group. */
const provision = async (client: number, rounds: number) => {
  const group = await idOf(
    "Groups",
    { schemas: [groupSchema], displayName: `Group ${client}` },
    `displayName eq "Group ${client}"`
  )
  const left: Array<string> = []
  for (let round = 0; round < rounds; round += 1) {
    const userName = `person-${client}-${round}@corp.example`
    const user = await idOf("Users", { schemas: [userSchema], userName, active: true }, `userName eq "${userName}"`)
    await sendUntilResponse(
      "PATCH",
      `/Groups/${group}`,
      patch({ op: "add", path: "members", value: [{ value: user }] })
    )
    await sendUntilResponse("PATCH", `/Users/${user}`, patch({ op: "replace", path: "title", value: `Round ${round}` }))
    if (round % 3 === 1) {
      await sendUntilResponse("PATCH", `/Groups/${group}`, patch({ op: "remove", path: `members[value eq "${user}"]` }))
    } else {
      left.push(user)
    }
  }
  return { group, left }
}

it("keeps records, members, teams, log and audit consistent when the server is killed under a directory's traffic", async () => {
  server = await startServer(environment)
  const response = await ask(server.baseUrl, undefined, "POST", "/v1/bootstrap/workspace", { workspaceName: "Acme" })
  // As if the workspace had been claimed.
  await query("UPDATE organizations SET provisional_until = NULL")
  await query("UPDATE memberships SET role = 'owner'")
  const owner: string = response.body.session.token
  const directory = await ask(server.baseUrl, owner, "POST", "/v1/scim/directories", { name: "A directory" })
  expect(directory.status).toBe(201)
  token = directory.body.token
  const [digest] = await query<{ digest: string }>("SELECT encode(token_digest, 'hex') AS digest FROM scim_tokens")
  expect(digest?.digest).toBe(createHash("sha256").update(token).digest("hex"))

  const traffic = { isOver: false }
  const clients = Promise.all([0, 1, 2, 3].map((client) => provision(client, 30))).finally(() => {
    traffic.isOver = true
  })
  const seen: Array<number> = []
  const count = async () =>
    (await query<{ n: number }>("SELECT count(*)::int AS n FROM scim_log WHERE decision <> 'read'"))[0]?.n ?? 0
  for (let kill = 0; kill < kills && !traffic.isOver; kill += 1) {
    const until = (await count()) + 20 + randomInt(30)
    while (!traffic.isOver && (await count()) < until) await new Promise((resolve) => setTimeout(resolve, 5))
    if (traffic.isOver) break
    seen.push(await count())
    server.signal("SIGKILL")
    await server.ended
    server = await startServer(environment)
  }
  const done = await clients
  // It must have been killed in the middle more than once.
  expect(seen.length).toBeGreaterThan(1)

  const users = await query<{ n: number; members: number; alone: number }>(
    `SELECT count(*)::int AS n, count(m.id)::int AS members, count(DISTINCT u.user_name)::int AS alone
     FROM scim_users u LEFT JOIN memberships m ON m.organization_id = u.organization_id AND m.id = u.membership_id
       AND m.removed_at IS NULL AND m.user_id = u.user_id WHERE u.removed_at IS NULL AND u.active`
  )
  expect(users).toEqual([{ n: 120, members: 120, alone: 120 }])
  // No user was created twice: an interrupted request leaves no person and no membership.
  expect(await query("SELECT count(*)::int AS n FROM memberships WHERE removed_at IS NULL")).toEqual([{ n: 121 }])
  expect(
    await query(
      `SELECT u.id FROM users u WHERE NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id)
       UNION ALL SELECT id FROM (SELECT resource_id AS id, count(*) AS n FROM scim_log WHERE decision = 'created'
         GROUP BY resource_id) l WHERE l.n <> 1`
    )
  ).toEqual([])
  const inGroups = await query<{ group_id: string; id: string }>(
    "SELECT group_id, scim_user_id AS id FROM scim_group_members ORDER BY 1, 2"
  )
  const inTeams = await query<{ group_id: string; id: string }>(
    `SELECT t.team_id AS group_id, u.id FROM team_members t
     JOIN scim_users u ON u.organization_id = t.organization_id AND u.membership_id = t.membership_id ORDER BY 1, 2`
  )
  expect(inTeams).toEqual(inGroups)
  for (const { group, left } of done) {
    expect(inGroups.filter(({ group_id }) => group_id === group).map(({ id }) => id)).toEqual(left.toSorted())
  }
  // Each change has one log row and one audit event, or neither: both have the same number for each record.
  expect(
    await query(
      `WITH log AS (SELECT resource_id AS id, count(*) AS n FROM scim_log
          WHERE decision IN ('created', 'updated') GROUP BY 1),
        audit AS (SELECT target_id AS id, count(*) AS n FROM audit_events
          WHERE action IN ('scim.user_create', 'scim.user_update', 'scim.group_create', 'scim.group_update') GROUP BY 1)
       SELECT id, log.n AS log, audit.n AS audit FROM log FULL JOIN audit USING (id) WHERE log.n IS DISTINCT FROM audit.n`
    )
  ).toEqual([])
  server.signal("SIGTERM")
  expect((await server.ended).code).toBe(0)
}, 300_000)
