import { expect, it, vi } from "vitest"
import { call, engine, makeControlPlane, makeWorkspace, someAddress } from "../harness.ts"

const plane = await makeControlPlane({ workers: false, logLevel: "info" })

/** Lists its teams repeatedly while another organization's requests wait, and counts those that end meanwhile. */
const endedMeanwhile = async (method: string, path: string, requests: number, rounds: number) => {
  const heavy = await makeWorkspace(plane, "Heavy")
  const light = await makeWorkspace(plane, "Light")
  const ask = call(plane, light.token, someAddress())
  const flood = call(plane, heavy.token, someAddress())
  // Both sessions are cached from here on.
  expect((await ask("GET", "/v1/teams")).status).toBe(200)
  expect((await flood(method, path)).status).toBe(200)
  let ended = 0
  const floods = Array.from({ length: requests }, async () => {
    const { status } = await flood(method, path)
    ended += 1
    return status
  })
  for (let round = 0; round < rounds; round += 1) expect((await ask("GET", "/v1/teams")).status).toBe(200)
  const meanwhile = ended
  return { meanwhile, statuses: await Promise.all(floods) }
}

// A PostgreSQL server serves connections in parallel.
it.runIf(engine === "pglite").each([
  ["GET", "/v1/telemetry/dimensions?q=nothing"],
  ["POST", "/v1/audit-events/verify"],
  ["GET", "/v1/audit-events/export?action=nothing"]
])(
  "serves an organization on the embedded database while sixty requests of another one wait: %s %s",
  async (method, path) => {
    const { meanwhile, statuses } = await endedMeanwhile(method, path, 60, 8)
    // Each of the eight waits for at most two statements of the others; they send two or more per request.
    expect(meanwhile).toBeLessThanOrEqual(16)
    expect(statuses).toEqual(statuses.map(() => 200))
  }
)

it.runIf(engine === "pglite")(
  "returns 503 with Retry-After only to the organization with too many waiting statements on the embedded database",
  async () => {
    const heavy = await makeWorkspace(plane, "Heavy")
    const light = await makeWorkspace(plane, "Light")
    expect((await light.call("GET", "/v1/teams")).status).toBe(200)
    expect((await heavy.call("GET", "/v1/teams")).status).toBe(200)
    const lines = vi.spyOn(process.stderr, "write")
    const floods = Array.from({ length: 400 }, () => heavy.call("GET", "/v1/teams"))
    expect((await light.call("GET", "/v1/teams")).status).toBe(200)
    const responses = await Promise.all(floods)
    const refused = responses.filter(({ status }) => status === 503)
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(256)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.every(({ headers }) => headers.get("retry-after") !== null)).toBe(true)
    // There is nothing for the operator to fix, and the database was available.
    expect(lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("database"))).toEqual([])
    lines.mockRestore()
  }
)
