/** Secrets are returned once, to their recipient: they are in no log line, error, metric, audit event or table. */
import { expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { call, makeControlPlane, makeKey, makeWorkspace, runSql, type TestResponse } from "../harness.ts"
import { changeOf, secretsIn, suites } from "./http-changes.ts"
import { anAddress, changes, operations, pathOf } from "./http-world.ts"
import { keepWritten } from "../written.fixture.ts"

const written = keepWritten()

const plane = await makeControlPlane({
  workers: false,
  logLevel: "debug",
  metricsToken: "a token for metrics",
  outbound: { allowHttp: true },
  suites: suites.options
})
const secrets = new Set<string>()
/** Every response, except the one that is meant to contain a secret. */
const responded: Array<string> = []
const textOf = ({ headers, text }: TestResponse) => `${[...headers].join("\n")}\n${text}`

/** Every wrong use of a secret. */
const misuse = async (secret: string) => {
  const ask = call(plane, undefined, anAddress())
  const requests = [
    ask("GET", "/v1/organization", undefined, { authorization: `Bearer ${secret}x` }),
    ask("GET", "/v1/organization", undefined, { authorization: `Basic ${secret}` }),
    ask("GET", "/v1/organization", undefined, { authorization: `Bearer ${secret}`, "x-api-key": secret }),
    ask("GET", "/v1/organization", undefined, { "x-api-key": `${secret}x` }),
    ask("GET", "/v1/organization", undefined, { "x-organization-id": secret }),
    ask("GET", `/v1/plugins/${encodeURIComponent(secret)}`),
    ask("GET", `/v1/plugins?limit=${encodeURIComponent(secret)}`),
    ask("GET", `/v1/nothing/${encodeURIComponent(secret)}`),
    ask("POST", "/v1/sessions/email", { email: secret }),
    ask("POST", "/v1/sessions/email/verify", { challengeId: secret, code: `${secret}x`.slice(0, 32) }),
    ask("POST", "/v1/invitations/preview", { token: `${secret}x` }),
    ask("POST", "/v1/bootstrap/claims/preview", { token: `${secret}x` }),
    ask("POST", "/v1/bootstrap/claims/preview", `{"token":"${secret}"`)
  ]
  responded.push(...(await Promise.all(requests)).map(textOf))
}

const holders = ["sessions", "api_keys", "invitations", "claims", "sign_in_challenges"]

/** Every secret used correctly while the database fails: each failure is logged. */
const whileTheDatabaseFails = async () => {
  const rename = (from: string, to: string) =>
    runSql(plane, (sql) =>
      Effect.forEach(
        holders,
        (table) => sql`ALTER TABLE ${sql(`orgplane.${table}${from}`)} RENAME TO ${sql(table + to)}`
      )
    )
  await rename("", "_away")
  for (const secret of secrets) {
    const ask = call(plane, undefined, anAddress())
    const requests = [
      ask("GET", "/v1/organization", undefined, { authorization: `Bearer ${secret}` }),
      ask("GET", "/v1/organization", undefined, { "x-api-key": secret }),
      ask("POST", "/v1/sessions/email/verify", { challengeId: "a", code: secret.slice(0, 32) }),
      ask("POST", "/v1/invitations/preview", { token: secret }),
      ask("POST", "/v1/bootstrap/claims/preview", { token: secret })
    ]
    responded.push(...(await Promise.all(requests)).map(textOf))
  }
  await rename("_away", "")
}

it("secrets of every operation appear nowhere afterwards", async () => {
  for (const operation of operations.filter(changes)) {
    const request = await changeOf(plane, operation)
    const response = await call(plane, request.token, anAddress())(
      operation.method,
      pathOf(operation, request.things),
      request.body
    )
    const own = secretsIn(request, response.body)
    if (operation.holdsSecret && response.status < 300) expect(own.length).toBeGreaterThan(0)
    else responded.push(textOf(response))
    for (const secret of own) secrets.add(secret)
  }
  const owner = await makeWorkspace(plane)
  const key = await makeKey(plane, owner, ["plugins:read"])
  const link = await owner.call("POST", "/v1/invitations", { email: "linked@example.com", send: false })
  secrets.add(key.key).add(owner.token).add(link.body.link.token)
  for (const mail of plane.mails) {
    for (const [, code = ""] of mail.text.matchAll(/[&#?](?:code|token)=([\w-]+)/g)) secrets.add(code)
  }
  expect([...secrets].map((secret) => secret.slice(0, 4))).toEqual(
    expect.arrayContaining(["ops_", "opk_", "opi_", "opc_"])
  )
  // Email codes have no prefix.
  expect([...secrets].some((secret) => !secret.startsWith("op"))).toBe(true)

  for (const secret of secrets) await misuse(secret)
  await whileTheDatabaseFails()
  responded.push(textOf(await key.call("GET", "/v1/plugins")), textOf(await key.call("DELETE", "/v1/me")))
  const metrics = await call(plane)("GET", "/v1/metrics", undefined, { authorization: "Bearer a token for metrics" })
  expect(metrics.status).toBe(200)

  const tables = await runSql(plane, (sql) =>
    Effect.gen(function* () {
      const names = yield* sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
      const texts: Array<string> = []
      for (const { name } of names) {
        const rows = yield* sql<{ row: string }>`SELECT to_jsonb(t)::text AS row FROM ${sql(name)} t`
        texts.push(...rows.map(({ row }) => `${name}: ${row}`))
      }
      return texts
    })
  )
  expect(tables.some((text) => text.startsWith("audit_events: "))).toBe(true)

  const leaksIn = (where: string, texts: ReadonlyArray<string>) =>
    texts.flatMap((text) =>
      [...secrets].filter((secret) => text.includes(secret)).map((secret) => [where, secret, text])
    )
  expect(leaksIn("a response", responded)).toEqual([])
  expect(leaksIn("the metrics", [metrics.text])).toEqual([])
  expect(written.filter((line) => line.startsWith("{")).length).toBeGreaterThan(secrets.size)
  expect(leaksIn("the log", written)).toEqual([])
  expect(leaksIn("the database", tables)).toEqual([])
}, 300_000)
