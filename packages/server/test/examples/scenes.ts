/** Requests of the examples that need an outside system, a link or a credential of their own. */
import { afterAll } from "vitest"
import {
  call,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeWorkspace,
  platformAdmin,
  signIn,
  signInByEmail,
  someAddress,
  type TestPlane,
  webhookSecret,
  type Workspace
} from "../harness.ts"
import { serveCatalog } from "../agents/llm.fixture.ts"
import { serveTools, tool } from "../agents/mcp.fixture.ts"
import { makeConnection, reachesLoopback, startOAuthWorld, visit } from "../agents/oauth.fixture.ts"
import { beginSuite, connectSuite } from "../agents/suites.fixture.ts"
import { becomes, exampleRuntime, makeCloudWorker, makeProviding } from "../agents/workers.fixture.ts"
import { appAt, install, makeCodeHost } from "../content/code-host.fixture.ts"
import { connect, imported, marketplace, repositoryIn, skill, synced } from "../content/connectors.fixture.ts"
import { push } from "../content/webhooks.fixture.ts"
import { sign } from "@octokit/webhooks-methods"
import { connectSaml, says } from "../enterprise/sso-saml.fixture.ts"
import { atProvider, connectSso, goThrough, serveStandIn, startSso, verifier } from "../enterprise/sso.fixture.ts"
import { suites } from "../infra/http-changes.ts"
import { commit, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import type { Things } from "../infra/http-world.ts"
import { attentionScenes } from "./attention-scenes.ts"
import { configurationScenes } from "./configuration-scenes.ts"
import { deliveryScenes } from "./delivery-scenes.ts"
import { eventScenes } from "./event-scenes.ts"
import { webhookScenes } from "./webhook-scenes.ts"

export interface Scene {
  readonly plane: TestPlane
  readonly things?: Things
  readonly body?: unknown
  /** The members of a form, instead of a body. */
  readonly form?: Readonly<Record<string, string>>
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** A whole path, for a request that comes from a link. */
  readonly path?: string
}

const files = {
  ".claude-plugin/marketplace.json": marketplace(["code-review", "incident-review"]),
  "plugins/code-review/skills/review/SKILL.md": skill("review"),
  "plugins/code-review/commands/review.md": "# Review a pull request\n",
  "plugins/incident-review/skills/timeline/SKILL.md": skill("timeline")
}

/** Keeps the value of the first call. */
const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => (made ??= make())
}

/** A control plane whose workers run. */
const working = once(() => makeControlPlane({ outbound: reachesLoopback }))

const connected = async () => {
  const plane = await working()
  const owner = await makeWorkspace(plane)
  const repository = repositoryIn(plane, files)
  const { instance, target } = await connect(owner, repository)
  await owner.client.connectors.discovery(instance.id)
  return {
    plane,
    owner,
    repository,
    instance,
    target,
    things: { ConnectorInstanceId: instance.id },
    token: owner.token
  }
}

const installed = once(async () => {
  const host = await makeCodeHost()
  const plane = await makeControlPlane({ ...appAt(host), outbound: reachesLoopback })
  host.add(7, "acme/plugins", { dir: repositoryIn(plane, files) })
  return { host, plane }
})

let installations = 0
/** An organization whose owner is about to complete an installation, or has. */
const installing = async () => {
  const { host, plane } = await installed()
  const owner = await makeWorkspace(plane)
  const installationId = (installations += 1)
  host.install(installationId, { account: "acme", repositories: [7], admins: ["ada"] })
  return { host, plane, owner, token: owner.token, installationId: String(installationId) }
}

const accountOf = async () => {
  const { host, installationId, owner, ...scene } = await installing()
  const account = await install(host, owner, installationId)
  return { ...scene, things: { ConnectorAccountId: account.id } }
}

const tools = once(async () => {
  const server = await serveTools([tool("search_issues"), tool("create_issue")])
  afterAll(() => server.close())
  return server
})

const toolConnection = async () => {
  const plane = await working()
  const owner = await makeWorkspace(plane)
  const { url } = await tools()
  const id = await makeConnection(owner, { url, authType: "none" })
  return { plane, owner, token: owner.token, things: { ExternalMCPConnectionId: id } }
}

const oauthWorld = once(startOAuthWorld)

const oauthConnection = async () => {
  const plane = await working()
  const owner = await makeWorkspace(plane)
  const world = await oauthWorld()
  const id = await makeConnection(owner, { url: world.mcpUrl })
  return { plane, owner, token: owner.token, things: { ExternalMCPConnectionId: id } }
}

const catalog = once(async () => {
  const source = await serveCatalog()
  const plane = await makeControlPlane({ workers: false, modelsUrl: source.url, logLevel: "none" })
  const owner = await makeWorkspace(plane)
  return { plane, token: owner.token }
})

const identityProvider = once(async () => {
  const standIn = await serveStandIn()
  afterAll(() => standIn.close())
  return standIn
})

const signInWorld = once(async () => {
  const plane = await working()
  const owner = await makeWorkspace(plane)
  const standIn = await identityProvider()
  await connectSso(plane, owner, standIn, { domain: "acme.example" })
  return { plane, owner, standIn }
})

const runtime = once(async () => {
  const { plane } = await makeProviding(["node", exampleRuntime])
  const owner = await makeWorkspace(plane)
  const worker = await makeCloudWorker(owner, "Nightly reviews")
  await becomes(owner, worker.path, {
    worker: { status: "healthy" },
    instance: { status: "running" }
  })
  return { plane, token: owner.token, things: { WorkerPathId: worker.id } }
})

/** A marketplace with a plugin. */
const marketplaceWithPlugin = async (plane: TestPlane, owner: Workspace): Promise<string> => {
  const plugin = await owner.client.plugins.create({ name: "Code review" })
  await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill("review") },
    pluginIds: [plugin.id]
  })
  return makeMarketplace(plane, owner, [plugin.id])
}

const linked = async (plane: TestPlane, owner: Workspace) => {
  const id = await marketplaceWithPlugin(plane, owner)
  const { body } = await owner.call("POST", `/v1/marketplaces/${id}/links`, { name: "Laptops" })
  return new URL(String(body.item.url ?? body.url))
}

const pathIn = (url: string | URL) => {
  const { pathname, search } = new URL(url, "http://localhost")
  return pathname + search
}

export const scenes: Readonly<Record<string, (plane: TestPlane) => Promise<Scene>>> = {
  ...attentionScenes,
  ...configurationScenes,
  ...deliveryScenes,
  ...eventScenes,
  ...webhookScenes,
  "bootstrap.previewClaim": async (plane) => {
    const { body } = await call(plane, undefined, someAddress())("POST", "/v1/bootstrap/workspace", {
      workspaceName: "Acme"
    })
    return { plane, body: { token: body.claimLinks[0].token } }
  },
  "invitations.preview": async (plane) => {
    const owner = await makeWorkspace(plane)
    const { body } = await owner.call("POST", "/v1/invitations", { email: "grace@acme.example", send: false })
    return { plane, body: { token: body.link.token } }
  },
  "apiKeys.current": async (plane) => {
    const owner = await makeWorkspace(plane)
    const { key } = await makeKey(plane, owner, ["plugins:read"], { name: "Continuous integration" })
    return { plane, headers: { "x-api-key": key } }
  },
  "memory.get": async (plane) => {
    const owner = await makeWorkspace(plane)
    const { body } = await owner.call("POST", "/v1/memory", {
      content: "Prefers small pull requests.",
      tags: ["review"]
    })
    return { plane, token: owner.token, things: { memoryId: body.memory.id } }
  },
  "admin.listPlatformUsers": async (plane) => ({ plane, token: (await signInByEmail(plane, platformAdmin)).token }),
  "admin.listPlatformOrganizations": async (plane) => ({
    plane,
    token: (await signInByEmail(plane, platformAdmin)).token
  }),
  "capabilities.getMailMessage": async (plane) => {
    const owner = await makeWorkspace(plane)
    const { token } = await signIn(plane, owner.userId, owner.organizationId)
    await connectSuite({ call: call(plane, token) }, "suite-a")
    suites.messages.set("nothing", {
      id: "nothing",
      subject: "Weekly report",
      body: { contentType: "text", content: "All reviews are done." }
    })
    return { plane, token }
  },
  "marketplaces.manifestLinked": async (plane) => {
    const owner = await makeWorkspace(plane)
    return { plane, path: pathIn(await linked(plane, owner)) }
  },
  "marketplaces.downloadLinked": async (plane) => {
    const owner = await makeWorkspace(plane)
    const { text } = await call(plane)("GET", pathIn(await linked(plane, owner)))
    const url =
      /https?:[^"]*marketplace-links[^"]*tar\.gz[^"]*|https?:[^"]*marketplace-links[^"]*\/plugins\/[^"]*/u.exec(text)
    return { plane, path: pathIn(url?.[0] ?? "/") }
  },
  "marketplaces.manifest": async (plane) => {
    const owner = await makeWorkspace(plane)
    return { plane, token: owner.token, things: { MarketplaceId: await marketplaceWithPlugin(plane, owner) } }
  },
  "plugins.downloadLinked": async (plane) => {
    const owner = await makeWorkspace(plane)
    const id = await marketplaceWithPlugin(plane, owner)
    const { text } = await owner.call("GET", `/v1/marketplaces/${id}/marketplace.json`)
    return { plane, path: pathIn(/https?:[^"]*plugin-archives[^"]*/u.exec(text)?.[0] ?? "/") }
  },
  "llmProviders.listCatalog": catalog,
  "llmProviders.listCatalogProviders": catalog,
  "connectors.setup": async () => {
    const plane = await working()
    const owner = await makeWorkspace(plane)
    return { plane, token: owner.token, body: { adapter: "git", cloneUrl: repositoryIn(plane, files) } }
  },
  "connectors.createInstance": async () => {
    const plane = await working()
    const owner = await makeWorkspace(plane)
    const { instance } = await connect(owner, repositoryIn(plane, files))
    const body = { connectorAccountId: instance.connectorAccountId, remoteId: repositoryIn(plane, files) }
    return { plane, token: owner.token, body }
  },
  "connectors.setCredential": async () => ({ ...(await connected()), body: { token: "a-token-with-read-access" } }),
  "connectors.createTarget": async () => {
    const scene = await connected()
    writeRef(scene.repository, "refs/heads/release", readRefs(scene.repository).get("refs/heads/main") ?? "")
    return { ...scene, body: { branch: "release" } }
  },
  "plugins.capabilities": async () => {
    const plane = await working()
    const owner = await makeWorkspace(plane)
    const plugin = await owner.client.plugins.create({ name: "Code review" })
    const hooks = {
      PostToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: "npx prettier --check ." }] }]
    }
    const mcpServers = { issues: { command: "npx", args: ["issues-mcp@1.4.0"], env: { ISSUES_TEAM: "web" } } }
    const inputs = [
      { type: "skill", rawSourceText: skill("review") },
      { type: "hook", rawSourceText: JSON.stringify({ hooks }) },
      { type: "mcp", rawSourceText: JSON.stringify({ mcpServers }) }
    ] as const
    for (const input of inputs) await owner.client.configObjects.create({ input, pluginIds: [plugin.id] })
    return { plane, token: owner.token, things: { PluginId: plugin.id } }
  },
  "connectors.discovery": connected,
  "connectors.tree": connected,
  "connectors.plan": async () => ({
    ...(await connected()),
    body: { selectedKeys: ["marketplace:code-review"], autoImportNewPlugins: false }
  }),
  "connectors.apply": async () => ({
    ...(await connected()),
    body: { selectedKeys: ["marketplace:code-review"], autoImportNewPlugins: true, share: "orgWide" }
  }),
  "connectors.rollback": async () => {
    const scene = await connected()
    await imported(scene.owner, scene)
    const { revision } = await synced(scene.owner, scene)
    return { ...scene, body: { revision } }
  },
  "connectors.planRollback": async () => {
    const scene = await connected()
    await imported(scene.owner, scene)
    const { revision } = await synced(scene.owner, scene)
    commit(scene.repository, {
      "plugins/code-review/commands/review.md": null,
      "plugins/code-review/skills/review/SKILL.md": `${skill("review")}\nRead the tests first.\n`,
      "plugins/code-review/skills/notes/SKILL.md": skill("notes")
    })
    await synced(scene.owner, scene)
    return { ...scene, body: { revision } }
  },
  "connectors.mappingImpact": async () => {
    const scene = await connected()
    commit(scene.repository, { "docs/style.md": "# Style\n" })
    const mapping = await scene.owner.client.connectors.createMapping(scene.target.id, {
      selector: "docs",
      objectType: "context"
    })
    await synced(scene.owner, scene)
    return { ...scene, things: { ...scene.things, ConnectorMappingId: mapping.id } }
  },
  "connectors.startInstall": async () => {
    const { plane } = await installed()
    return { plane, token: (await makeWorkspace(plane)).token }
  },
  "connectors.completeInstall": async () => {
    const { host, installationId, owner, ...scene } = await installing()
    const { state } = await owner.client.connectors.startInstall()
    return { ...scene, body: { state, code: host.codeOf("ada"), installationId } }
  },
  "connectors.listRepositories": accountOf,
  "connectors.listBranches": accountOf,
  "mcpConnections.callTool": async () => ({
    ...(await toolConnection()),
    body: { toolName: "search_issues", arguments: { text: "login" } }
  }),
  "mcpConnections.startConnect": async () => ({ ...(await oauthConnection()), body: {} }),
  "mcpConnections.completeConnect": async () => {
    const scene = await oauthConnection()
    const started = await scene.owner.call(
      "POST",
      `/v1/mcp-connections/${scene.things.ExternalMCPConnectionId}/connect/start`,
      {}
    )
    return { ...scene, body: Object.fromEntries(await visit(started.body.connect.url)) }
  },
  "mcpConnections.callback": async () => {
    const { owner, plane, things } = await oauthConnection()
    const at = `/v1/mcp-connections/${things.ExternalMCPConnectionId}/connect/start`
    const started = await owner.call("POST", at, {})
    return { plane, query: Object.fromEntries(await visit(started.body.connect.url)) }
  },
  "capabilities.callback": async (plane) => ({
    plane,
    query: await beginSuite(await makeWorkspace(plane), "suite-a")
  }),
  "sso.samlAcs": async () => {
    const plane = await working()
    const { acs, idp, metadata, owner } = await connectSaml(plane, "saml.example")
    const started = await startSso(plane, { organizationId: owner.organizationId })
    const { RelayState, SAMLResponse } = await idp.respond(metadata, started.body.url, says(idp, "ada@saml.example"))
    return { plane, path: acs, form: { SAMLResponse, RelayState } }
  },
  "sso.putOidc": async () => {
    const plane = await working()
    const owner = await makeWorkspace(plane)
    const { issuer } = await identityProvider()
    const body = { issuer, clientId: "orgplane", clientSecret: "example-client-secret" }
    return { plane, token: owner.token, body }
  },
  "sso.oidcCallback": async () => {
    const { owner, plane } = await signInWorld()
    const started = await startSso(plane, { organizationId: owner.organizationId })
    return { plane, path: pathIn(await atProvider(started.body.url)) }
  },
  "sso.complete": async () => {
    const { owner, plane } = await signInWorld()
    const { result, state } = await goThrough(plane, { organizationId: owner.organizationId })
    return { plane, body: { state, code: result.get("code"), codeVerifier: verifier } }
  },
  "workers.getRuntime": runtime,
  "workers.upgradeRuntime": async () => ({ ...(await runtime()), body: {} }),
  "webhooks.codehost": async (plane) => {
    const body = push({ cloneUrl: "https://git.example/acme/plugins.git" })
    return {
      plane,
      body,
      headers: {
        "x-github-event": "push",
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "x-hub-signature-256": await sign(webhookSecret, JSON.stringify(body))
      }
    }
  }
}
