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
