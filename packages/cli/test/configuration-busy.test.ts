/** Configuration commands while the server runs another plan or apply. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder, ran, type Reply, serve } from "./harness.ts"

const busy: Reply = {
  status: 503,
  body: { error: "configuration_busy", message: "Another plan or apply of the organization is running." },
  headers: { "retry-after": "0" }
}
const digest = "a".repeat(64)
const change = { kind: "teams", key: "a", name: "A", action: "create", fields: [] }
const plan = { planDigest: digest, hasChanges: true, changes: [change], effects: null, problems: [] }
const text = "Waiting for another plan or apply on the server"

describe("a configuration command while the server runs another plan or apply", () => {
  const commands = {
    "GET /v1/configuration": { args: ["export"], body: { document: { version: 1 } } },
    "POST /v1/configuration/adopt": { args: ["adopt"], body: { adopted: [] } },
    "POST /v1/configuration/plan": { args: ["plan"], body: { plan } }
  }
  for (const [path, { args, body }] of Object.entries(commands)) {
    it(`is retried: ${args[0]}`, async () => {
      const directory = await folder()
      await writeFile(join(directory, "org.yaml"), "version: 1\n")
      const files = args[0] === "plan" ? ["-f", join(directory, "org.yaml")] : []
      // More than the client retries by itself.
      const { seen, url } = await serve({ [path]: [...Array.from({ length: 6 }, () => busy), { body }] })
      const { code, err } = await ran(["configuration", ...args, ...files], { url })
      expect([code, seen.length]).toEqual([0, 7])
      expect(err).toContain(text)
    })
  }

  it("is retried with an idempotency key: apply", async () => {
    const directory = await folder()
    await writeFile(join(directory, "org.yaml"), "version: 1\nteams:\n  - {key: a, name: A}\n")
    const { seen, url } = await serve({
      "POST /v1/configuration/plan": [busy, { body: { plan } }],
      "POST /v1/configuration/apply": [busy, busy, { body: { plan } }]
    })
    const { code } = await ran(["configuration", "apply", "-f", join(directory, "org.yaml"), "--yes"], { url })
    const applies = seen.filter(({ path }) => path === "/v1/configuration/apply")
    expect([code, applies.length]).toEqual([0, 3])
    for (const { headers } of applies) expect(headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("fails after ten minutes", async () => {
    const directory = await folder()
    await writeFile(join(directory, "org.yaml"), "version: 1\n")
    const { seen, url } = await serve({ "POST /v1/configuration/plan": busy })
    const { code, err } = await ran(["configuration", "plan", "-f", join(directory, "org.yaml")], { url })
    expect(code).not.toBe(0)
    expect(err).toContain("Another plan or apply")
    expect(seen.length).toBeGreaterThan(50)
  })
})
