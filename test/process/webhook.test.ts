import { createHmac, randomUUID } from "node:crypto"
import { join } from "node:path"
import { expect, it } from "vitest"
import { commit, makeRepository } from "../fixtures/git.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, startServer, until } from "./server.fixture.ts"

const secrets = ["the secret that is rotated out", "the secret that replaces it"]
const text = "plugins/alpha/commands/go.md"

it("processes an acknowledged delivery although the server is killed right after its response", async () => {
  const folder = makeFolder()
  const dir = join(folder, "repositories/plugins")
  makeRepository(dir, {
    ".claude-plugin/marketplace.json": JSON.stringify({
      name: "tools",
      owner: { name: "Acme" },
      plugins: [{ name: "alpha", source: "./plugins/alpha" }]
    }),
    [text]: "# Round 0\n"
  })
  const environment = {
    ORGPLANE_DATA_DIR: makeDataDir(),
    ORGPLANE_SEED: "none",
    ORGPLANE_GIT_LOCAL_ROOTS: join(folder, "repositories"),
    ORGPLANE_WEBHOOK_SECRET: secrets.join("\n"),
    ORGPLANE_RECONCILE_SECONDS: "0"
  }
  let server = await startServer(environment)
  const token = await makeWorkspace(server.baseUrl)
  const get = async (path: string) => (await ask(server.baseUrl, token, "GET", path)).body
  const setupResponse = await ask(server.baseUrl, token, "POST", "/v1/connectors/codehost/setup", {
    adapter: "git",
    cloneUrl: dir
  })
  const { connectorInstance } = setupResponse.body.item
  await ask(server.baseUrl, token, "POST", `/v1/connector-instances/${connectorInstance.id}/discovery/apply`, {
    selectedKeys: ["marketplace:alpha"],
    autoImportNewPlugins: false
  })
  const shown = async () => {
    const [object] = (await get("/v1/config-objects")).items
    return object?.latestVersion
  }
  await until(shown, (version) => version?.ordinal === 1)

  const deliver = async (after: string, delivery: string, secret: string) => {
    const body = JSON.stringify({
      ref: "refs/heads/main",
      before: "0".repeat(40),
      after,
      repository: { id: 1, full_name: "acme/plugins", clone_url: connectorInstance.remoteId }
    })
    const response = await fetch(`${server.baseUrl}/v1/webhooks/connectors/codehost`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-github-delivery": delivery,
        "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
      }
    })
    return { status: response.status, body: await response.json() }
  }
  for (const [index, secret] of secrets.entries()) {
    const delivery = randomUUID()
    const head = commit(dir, { [text]: `# Round ${index + 1}\n` })
    const accepted = { status: 202, body: { ok: true, accepted: true, deliveryId: delivery, queued: true } }
    expect(await deliver(head, delivery, secret)).toEqual(accepted)
    server.signal("SIGKILL")
    await server.ended
    server = await startServer(environment)
    const version = await until(shown, (version) => version?.ordinal === index + 2)
    expect(version.rawSourceText).toBe(`# Round ${index + 1}\n`)
    // A repeated delivery gets the same response and changes nothing.
    expect(await deliver(head, delivery, secret)).toEqual(accepted)
  }
  const { items } = await get("/v1/webhook-deliveries")
  expect(items.map(({ status, syncEventIds }: Record<string, unknown>) => [status, syncEventIds])).toEqual([
    ["accepted", [expect.stringMatching(/^cse_/)]],
    ["accepted", [expect.stringMatching(/^cse_/)]]
  ])
  expect((await deliver("a".repeat(40), randomUUID(), "an unknown webhook secret")).status).toBe(401)
  server.signal("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
}, 300_000)
