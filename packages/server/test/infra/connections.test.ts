import { lookup, Resolver } from "node:dns/promises"
import { once } from "node:events"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "../../../../test/fixtures/git.ts"
import type { CodeHostServer } from "../../../../test/fixtures/code-host-server.ts"
import { appAt, install, makeCodeHost } from "../content/code-host.fixture.ts"
import { type Connections, watchConnections } from "./connections.fixture.ts"
import {
  connect as connectRepository,
  imported,
  marketplace,
  skill,
  synced,
  until
} from "../content/connectors.fixture.ts"
import { engine, makeControlPlane, makeWorkspace, type TestPlane } from "../harness.ts"

let connections: Connections
let host: CodeHostServer
let plane: TestPlane
const mails: Array<string> = []
const mailServer = new SMTPServer({
  logger: false,
  authOptional: true,
  disableReverseLookup: true,
  disabledCommands: ["STARTTLS", "AUTH"],
  onData: (stream, _, callback) => {
    stream.on("data", (chunk: Buffer) => mails.push(chunk.toString()))
    stream.on("end", () => callback())
  }
})

beforeAll(async () => {
  const listener = mailServer.listen(0, "127.0.0.1")
  await once(listener, "listening")
  host = await makeCodeHost()
  connections = watchConnections()
  const { port } = listener.address() as AddressInfo
  plane = await makeControlPlane({
    ...appAt(host),
    mailer: { smtpUrl: `smtp://127.0.0.1:${port}?from=orgplane%40example.com` },
    // No server is running: the guard's DNS queries end soon.
    dnsServers: ["127.0.0.1:1"]
  })
})
afterAll(async () => {
  connections.end()
  await new Promise<void>((resolve) => mailServer.close(() => resolve()))
})

describe("the connections of a working server", () => {
  it("are opened only by the outbound client, the mailer and the database client", async () => {
    const owner = await makeWorkspace(plane)
    const dir = join(plane.repositories, "host-1")
    makeRepository(dir, {
      ".claude-plugin/marketplace.json": marketplace(["reviewer"]),
      "plugins/reviewer/skills/one/SKILL.md": skill("one")
    })
    host.add(1, "team-1/plugins", { dir })
    host.install(1, { account: "team-1", repositories: [1], admins: ["ada"] })
    const account = await install(host, owner, "1")
    const item = await owner.client.connectors.setup({
      adapter: "rest",
      connectorAccountId: account.id,
      repositoryFullName: "team-1/plugins"
    })
    const connected = { instance: item.connectorInstance, target: item.connectorTarget }
    expect((await imported(owner, connected)).syncEvent).toMatchObject({ status: "completed" })
    expect(await synced(owner, connected)).toMatchObject({ status: "completed" })
    const afterImport = connections.counts.guard
    expect(afterImport).toBeGreaterThan(0)

    await expect(connectRepository(owner, "https://git.example.com/team/plugins")).rejects.toThrow()
    await expect(connectRepository(owner, "https://127.0.0.1/team/plugins")).rejects.toThrow()
    expect(connections.counts.guard).toBeGreaterThan(afterImport)

    await owner.call("POST", "/v1/invitations", { email: "grace@example.com", role: "member" })
    await until(
      () => Promise.resolve(mails.length),
      (count) => count > 0
    )
    expect(connections.counts.smtp).toBeGreaterThan(0)
    expect(connections.counts.postgres > 0).toBe(engine === "postgres")
    expect(connections.unknown).toEqual([])
  })

  // Not port 1: fetch does not open a connection to it.
  it.each<readonly [string, () => unknown]>([
    ["a socket", () => connect(1, "127.0.0.1").on("error", () => undefined)],
    ["a Unix socket", () => connect("/nowhere/at/all").on("error", () => undefined)],
    ["fetch", () => fetch("http://127.0.0.1:49151/").catch(() => undefined)],
    ["WebSocket", () => new WebSocket("ws://127.0.0.1:49151/")],
    ["a resolver", () => new Resolver({ timeout: 100, tries: 1 }).resolve4("a.example").catch(() => undefined)],
    ["a lookup", () => lookup("127.0.0.1.example").catch(() => undefined)]
  ])("are detected when other code opens one with %s", async (_, way) => {
    const seen = () => connections.unknown.length + connections.counts.test
    const before = seen()
    way()
    await until(
      () => Promise.resolve(seen()),
      (count) => count > before
    )
  })
})
