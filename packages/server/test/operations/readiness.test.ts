/** `GET /v1/live`, and the details of `GET /v1/ready`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { MailFailed, Mailer } from "../../src/infra/ports/mailer.ts"
import { call, makeControlPlane, makeWorkspace, runSql } from "../harness.ts"

const metricsToken = "a token of the operator"
const plane = await makeControlPlane({ metricsToken })
const ready = async (authorization?: string) => {
  const response = await plane.fetch(
    new Request("http://localhost/v1/ready", authorization === undefined ? {} : { headers: { authorization } })
  )
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it("responds to liveness probes without a credential, at /v1/live and /live", async () => {
  for (const path of ["/v1/live", "/live"]) {
    expect(await call(plane, undefined)("GET", path)).toMatchObject({ status: 200, body: { status: "ok" } })
  }
})

it("responds to probes and scrapers that send another host, but only on their paths", async () => {
  const publicUrl = "https://orgplane.example"
  const installed = await makeControlPlane({ metricsToken, publicUrl, workers: false })
  const owner = await makeWorkspace(installed)
  const statusOf = async (path: string, host: string, token?: string, method = "GET") =>
    (await call(installed, token)(method, path, undefined, { host })).status
  for (const host of ["10.42.0.7:8787", "[fd00::7]:8787", "orgplane.default.svc", "evil.example"]) {
    for (const path of ["/v1/live", "/v1/ready", "/live", "/ready"]) {
      expect([host, path, await statusOf(path, host)]).toEqual([host, path, 200])
    }
    expect([host, await statusOf("/v1/metrics", host, metricsToken)]).toEqual([host, 200])
    expect([host, await statusOf("/v1/metrics", host)]).toEqual([host, 404])
    expect([host, await statusOf("/v1/ready", host, undefined, "HEAD")]).toEqual([host, 200])
    for (const path of ["/v1/health", "/v1/version", "/v1/metrics/more", "/v1/organization", "/docs"]) {
      expect([host, path, await statusOf(path, host, owner.token)]).toEqual([host, path, 421])
    }
    expect([host, await statusOf("/v1/ready", host, owner.token, "POST")]).toEqual([host, 421])
  }
  expect(await statusOf("/v1/organization", "orgplane.example", owner.token)).toBe(200)
})

it("shows the details of each check only to the operator", async () => {
  const owner = await makeWorkspace(plane)
  const operator = await ready(`Bearer ${metricsToken}`)
  expect(operator.status).toBe(200)
  expect(operator.body).toMatchObject({
    status: "ready",
    checks: { database: "ok", queue: "ok", writes: "ok" },
    details: [
      {
        check: "database",
        status: "ok",
        durationMs: expect.any(Number),
        message: "The database responds, and is the primary."
      },
      { check: "queue", status: "ok" },
      { check: "writes", status: "ok" },
      { check: "schema", status: "ok" },
      { check: "keys", status: "ok", message: "The secret keys decrypt the secrets in the database." },
      { check: "audit", status: "ok" },
      { check: "mail", status: "ok", message: "No email was sent since the start of this process." },
      { check: "workers", status: "ok", message: "Cloud workers are not configured." },
      { check: "shutdown", status: "ok", message: "No shutdown was requested." }
    ]
  })
  for (const other of [undefined, `Bearer ${metricsToken}x`, metricsToken, `Bearer ${owner.token}`]) {
    const response = await ready(other)
    expect([other, response.status, response.body["details"]]).toEqual([other, 200, undefined])
  }
})

it("keeps the time since which a check has its status", async () => {
  const sinceOf = ({ body }: Awaited<ReturnType<typeof ready>>) =>
    (body["details"] as ReadonlyArray<{ readonly since: string }>).map(({ since }) => since)
  const first = sinceOf(await ready(`Bearer ${metricsToken}`))
  expect(sinceOf(await ready(`Bearer ${metricsToken}`))).toEqual(first)
})

it("stays ready, and names the failed component, if requests do not need it", async () => {
  let attempts = 0
  const failing = await makeControlPlane({
    metricsToken,
    logLevel: "none",
    workers: false,
    ports: {
      mailer: Layer.succeed(Mailer, {
        send: () =>
          Effect.suspend(() => {
            attempts += 1
            return Effect.fail(new MailFailed({ code: "refused", message: "Rejected." }))
          })
      })
    }
  })
  await runSql(
    failing,
    (sql) => sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
      VALUES ('aud_ready', NULL, 'plugin.create', 'system', now() - interval '1 hour')`
  )
  await runSql(
    failing,
    (sql) => sql`INSERT INTO orgplane_migrations (migration_id, name) VALUES (9999, 'of_a_later_release')`
  )
  await runSql(failing, (sql) => sql`UPDATE secret_canary SET ciphertext = 'changed'`)
  await call(failing)("POST", "/v1/sessions/email", { email: "ready@acme.example" })
  const read = async () => {
    const { body, status } = await call(failing, metricsToken)("GET", "/v1/ready")
    expect([status, body.status]).toEqual([200, "ready"])
    return (body.details as ReadonlyArray<{ check: string; status: string; message: string }>).filter(
      (detail) => detail.status === "failed"
    )
  }
  const mailFailed = (details: Awaited<ReturnType<typeof read>>) => details.some(({ check }) => check === "mail")
  let failed = await read()
  // The email is sent after the response, and a check is shared for a second.
  while (!mailFailed(failed)) failed = await read()
  expect(attempts).toBe(1)
  expect(failed).toMatchObject([
    {
      check: "schema",
      message: expect.stringMatching(
        /^The database has schema version 9999\. This process runs orgplane .* Finish or roll back/u
      )
    },
    { check: "keys", message: expect.stringContaining("cannot decrypt") },
    { check: "audit", message: expect.stringMatching(/has waited for \d{4} seconds to be sealed\.$/u) },
    { check: "mail", message: "The mail server rejected the last email. The log has the reason." }
  ])
})
