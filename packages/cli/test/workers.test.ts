/** Workers: the CLI as a process against a real server that starts a real runtime. */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../test/free-port.ts"
import { startPlane } from "./plane.ts"

const runtime = join(import.meta.dirname, "../../../examples/worker-runtime.ts")
let plane: Awaited<ReturnType<typeof startPlane>>
let token = ""

beforeAll(async () => {
  const port = await freePort()
  plane = await startPlane(() => ({
    ORGPLANE_PORT: String(port),
    ORGPLANE_WORKER_COMMAND: JSON.stringify(["node", runtime]),
    ORGPLANE_WORKER_HEARTBEAT_SECONDS: "1"
  }))
  const response = await fetch(`${plane.baseUrl}/v1/bootstrap/workspace`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workspaceName: "Acme" })
  })
  token = ((await response.json()) as { readonly session: { readonly token: string } }).session.token
})
afterAll(() => plane.stop())

const orgplane = (args: ReadonlyArray<string>, stdin = "") =>
  plane.run("ada", ["workers", ...args], stdin, { ORGPLANE_TOKEN: token })

describe("orgplane workers", () => {
  it("starts a cloud worker and waits for it, upgrades it and removes it", async () => {
    const result = await orgplane(["create", "--name", "Builder", "--destination", "cloud", "--wait", "-o", "json"])
    expect([result.code, result.err]).toEqual([0, expect.stringContaining("Worker healthy\n")])
    expect(result.err).toMatch(/^provisioning \d+s\n/)
    const { instance, token: none, worker } = JSON.parse(result.out)
    expect([worker.status, instance.status, none]).toEqual(["healthy", "running", null])
    const id = worker.id as string

    expect((await orgplane(["list"])).out).toMatch(
      new RegExp(`^${id}\tBuilder\thealthy\tcloud\ttrue\t1\\.0\\.0\t`, "m")
    )
    expect((await orgplane(["list", "--status", "failed", "-q"])).out).toBe("")
    expect((await orgplane(["get", id])).out).toMatch(/^worker\.status\thealthy$/m)
    expect(JSON.parse((await orgplane(["runtime", id, "-o", "json"])).out)).toMatchObject({ version: "1.0.0" })

    const upgraded = await orgplane(["upgrade", id, "--input", "-", "-o", "json"], '{"version":"2.0.0"}')
    expect(JSON.parse(upgraded.out)).toEqual({ upgraded: true, from: "1.0.0", to: "2.0.0" })
    expect((await orgplane(["upgrade", id, "--input", "-"], '{"version":"new"}')).code).not.toBe(0)
    expect((await orgplane(["activity", id])).out).toMatch(/\truntime\.upgrade\tFrom 1\.0\.0 to 2\.0\.0\t/)

    expect((await orgplane(["remove", id])).code).toBe(2)
    expect(await orgplane(["remove", id, "--yes"])).toMatchObject({ code: 0 })
    expect((await orgplane(["get", id])).code).toBe(3)
  }, 180_000)

  it("prints the token of a local worker once, and replaces it with a new one", async () => {
    const result = await orgplane(["create", "--name", "Laptop", "--destination", "local", "--wait", "-q"])
    expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/^opw_\w+\n$/) })
    const [worker] = JSON.parse((await orgplane(["list", "-o", "json"])).out).items
    const another = await orgplane(["create-token", worker.id, "--grace-seconds", "0", "-q"])
    expect(another.out).toMatch(/^opw_\w+\n$/)
    expect((await orgplane(["tokens", worker.id])).out.trim().split("\n").length).toBe(1)
    const beat = (credential: string) =>
      fetch(`${plane.baseUrl}/v1/workers/${worker.id}/heartbeat`, {
        method: "POST",
        headers: { authorization: `Bearer ${credential.trim()}`, "content-type": "application/json" },
        body: "{}"
      })
    expect([(await beat(result.out)).status, (await beat(another.out)).status]).toEqual([401, 200])
    expect((await orgplane(["upgrade", worker.id])).code).toBe(5)
  }, 120_000)
})
