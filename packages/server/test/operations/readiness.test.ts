/** `GET /v1/live`, and the details of `GET /v1/ready`. */
import { expect, it } from "vitest"
import { call, makeControlPlane, makeWorkspace } from "../harness.ts"

const metricsToken = "a token of the operator"
const plane = await makeControlPlane({ metricsToken })
const ready = async (authorization?: string) => {
  const response = await plane.fetch(
    new Request("http://localhost/v1/ready", authorization === undefined ? {} : { headers: { authorization } })
  )
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it("responds to liveness probes without a credential, also by the short path", async () => {
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
      { check: "database", status: "ok", durationMs: expect.any(Number), message: "Responds, and is the primary." },
      { check: "queue", status: "ok" },
      { check: "writes", status: "ok" },
      { check: "schema", status: "ok", durationMs: null },
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
