import { describe, expect, it } from "vitest"
import { ran, type Reply, serve } from "./harness.ts"

const event = (status: string, counts: Readonly<Record<string, number>> = {}) => ({
  id: "cse_1",
  status,
  counts,
  warnings: [],
  error: null
})
const polled = (...statuses: ReadonlyArray<string>): ReadonlyArray<Reply> =>
  statuses.map((status, index) => ({
    body: { item: event(status, { filesScanned: index * 10, objectsCreated: index }) }
  }))
const following = (...statuses: ReadonlyArray<string>) =>
  serve({
    "POST /v1/connector-instances/cin_1/sync": { status: 202, body: { ok: true, item: event("queued") } },
    "POST /v1/connector-instances/cin_1/discovery/apply": {
      body: { ok: true, item: { plugins: [{ id: "plg_1", name: "Reviewer" }], syncEvent: event("queued") } }
    },
    "GET /v1/connector-sync-events/cse_1": polled(...statuses)
  })

describe("connectors sync", () => {
  it("does not wait by default, and sends an idempotency key", async () => {
    const { seen, url } = await following("completed")
    expect(await ran(["connectors", "sync", "cin_1", "-q"], { url })).toMatchObject({ code: 0, out: "cse_1\n" })
    expect(seen).toHaveLength(1)
    expect(seen[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
  })
  it("waits with --watch and prints a line every few seconds in a pipe", async () => {
    const { url } = await following("queued", "running", "running", "running", "running", "completed")
    const { code, err, out } = await ran(["connectors", "sync", "cin_1", "--watch", "-o", "json"], { url })
    expect([code, (JSON.parse(out) as { readonly item: { readonly status: string } }).item.status]).toEqual([
      0,
      "completed"
    ])
    const lines = err.trim().split("\n")
    expect(lines[0]).toBe("queued 0s")
    expect(lines.at(-1)).toBe("Sync completed: 50 files scanned, 5 objects created")
    const seconds = lines.slice(0, -1).map((line) => Number(/(\d+)s$/.exec(line)?.[1]))
    for (const [index, second] of seconds.entries())
      if (index > 0) expect(second - (seconds[index - 1] ?? 0)).toBeGreaterThanOrEqual(2)
  })
  it("shows a spinner on a terminal and removes it at the end", async () => {
    const { url } = await following("running", "completed")
    const { err } = await ran(["connectors", "sync", "cin_1", "--watch"], { url, columns: 80 })
    expect(err.startsWith("\r\u001b[2K⠋ queued 0s")).toBe(true)
    expect(err.endsWith("\r\u001b[2KSync completed: 10 files scanned, 1 object created\n")).toBe(true)
  })
  it("fails if the sync fails", async () => {
    const { url } = await following("running", "failed")
    expect(await ran(["connectors", "sync", "cin_1", "--watch"], { url })).toMatchObject({ code: 1 })
  })
  it("exits with 5 and prints the next step if the sync is held for approval", async () => {
    const { url } = await following("running", "review_required")
    const { code, err } = await ran(["connectors", "sync", "cin_1", "--watch"], { url })
    expect([code, err]).toEqual([5, expect.stringContaining("orgplane connectors approve-sync cse_1")])
  })
  it("gives up after --timeout and prints how to check on the sync", async () => {
    const { url } = await following("running")
    const { code, err } = await ran(["connectors", "sync", "cin_1", "--watch", "--timeout", "20"], { url })
    expect([code, err]).toEqual([1, expect.stringContaining("orgplane connectors get-sync-event cse_1")])
  })
  it("can be interrupted while the sync continues on the server", async () => {
    const { url } = await following("running")
    const { code, err } = await ran(["connectors", "sync", "cin_1", "--watch"], { url, interruptAt: 5_000 })
    expect([code, err]).toEqual([
      130,
      expect.stringContaining("The sync continues on the server: orgplane connectors get-sync-event cse_1\n")
    ])
  })
})

describe("connectors apply", () => {
  const argv = ["connectors", "apply", "cin_1", "--select", "marketplace:reviewer"]
  it("does not block the request and waits for the import", async () => {
    const { seen, url } = await following("running", "completed")
    const { code, out } = await ran([...argv, "-o", "json"], { url })
    expect(code).toBe(0)
    expect(seen[0]).toMatchObject({
      path: "/v1/connector-instances/cin_1/discovery/apply?wait=0",
      body: JSON.stringify({ autoImportNewPlugins: false, selectedKeys: ["marketplace:reviewer"] })
    })
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      item: { plugins: [{ id: "plg_1" }], syncEvent: { status: "completed" } }
    })
  })
  it("returns immediately with --no-wait", async () => {
    const { seen, url } = await following("running")
    expect(await ran([...argv, "--no-wait", "-q"], { url })).toMatchObject({ code: 0, out: "cse_1\n", err: "" })
    expect(seen).toHaveLength(1)
  })
})

describe("connectors discovery", () => {
  const busy: Reply = {
    status: 503,
    body: { error: "discovery_in_progress", message: "Still reading." },
    headers: { "retry-after": "7" }
  }
  const path = "GET /v1/connector-instances/cin_1/discovery"
  const discovery = {
    ok: true,
    item: {
      repositoryFullName: "acme/plugins",
      discoveredPlugins: [{ key: "reviewer", displayName: "Reviewer", supported: true }]
    }
  }
  it("retries at the interval of Retry-After until the discovery is finished", async () => {
    const { seen, url } = await serve({ [path]: [busy, busy, { body: discovery }] })
    const { code, err, out } = await ran(["connectors", "discovery", "cin_1", "-o", "json"], { url })
    expect([code, seen.length, JSON.parse(out)]).toEqual([0, 3, discovery])
    expect(err).toBe("Reading the repository 0s\nStill reading the repository 7s\n")
  })
  it("shows times relative to the end of the wait", async () => {
    const item = { ...discovery.item, scannedAt: "1970-01-01T00:00:06.000Z" }
    const { url } = await serve({ [path]: [busy, { body: { ok: true, item } }] })
    const command = ["connectors", "discovery", "cin_1", "--template", "{{timeago .scannedAt}}"]
    expect(await ran(command, { url })).toMatchObject({ code: 0, out: "just now\n" })
  })
  it("prints only the keys of the plugins that can be imported with --quiet", async () => {
    const item = {
      discoveredPlugins: [
        { key: "marketplace:reviewer", supported: true },
        { key: "plugins/legacy", supported: false },
        { key: "marketplace:writer", supported: true }
      ]
    }
    const { url } = await serve({ [path]: { body: { ok: true, item } } })
    expect(await ran(["connectors", "discovery", "cin_1", "-q"], { url })).toMatchObject({
      code: 0,
      out: "marketplace:reviewer\nmarketplace:writer\n",
      err: ""
    })
    const none = await serve({ [path]: { body: { ok: true, item: { discoveredPlugins: [] } } } })
    expect(await ran(["connectors", "discovery", "cin_1", "-q"], { url: none.url })).toMatchObject({ code: 0, out: "" })
  })
  it("prints the discovered plugins as a separate table", async () => {
    const { url } = await serve({ [path]: { body: discovery } })
    const { out } = await ran(["connectors", "discovery", "cin_1", "--no-color"], { url, columns: 100 })
    expect(out).toMatch(/repositoryFullName +acme\/plugins/)
    expect(out).toMatch(/\nKEY +DISPLAY NAME .*\nreviewer +Reviewer /)
  })
  it("stops retrying after the timeout", async () => {
    const { seen, url } = await serve({ [path]: busy })
    expect(await ran(["connectors", "discovery", "cin_1", "--timeout", "30"], { url })).toMatchObject({ code: 1 })
    expect(seen).toHaveLength(5)
  })
  it("does not retry other errors", async () => {
    const { seen, url } = await serve({
      [path]: { status: 502, body: { error: "codehost_api_error", message: "No." } }
    })
    expect(await ran(["connectors", "discovery", "cin_1"], { url })).toMatchObject({ code: 1 })
    expect(seen).toHaveLength(1)
  })
})
