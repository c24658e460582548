/** One object of each kind that needs attention. What depends on time is made older in the database. */
import type { AttentionKind } from "@orgplane/schema/attention"
import type { Permission } from "@orgplane/schema/shared/permissions"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { serveTools, tool } from "../agents/mcp.fixture.ts"
import { pending } from "../content/approvals.fixture.ts"
import { connect, imported, marketplace, repositoryIn, skill, synced } from "../content/connectors.fixture.ts"
import { start, succeeded } from "../content/rollouts.fixture.ts"
import { connectSaml } from "../enterprise/sso-saml.fixture.ts"
import { makeDirectory, makeUser, patchOf, someUser, verifyDomain } from "../enterprise/scim.fixture.ts"
import {
  makeConnector,
  makeKey,
  makeMarketplace,
  makeScimToken,
  makeWorkspace,
  runSql,
  type TestPlane,
  type Workspace
} from "../harness.ts"
import { createEndpoint } from "../identity/webhook-endpoints.fixture.ts"
import { ended, repositoryWith, setSource, teams } from "./configuration-source.fixture.ts"

export interface Case {
  /** The permissions of callers that see it. */
  readonly permissions: ReadonlyArray<Permission>
  /** Whether callers that are not admins also need a grant on the object. */
  readonly needsGrant?: true
  readonly make: (plane: TestPlane) => Promise<{
    readonly owner: Workspace
    readonly id: string
    readonly name: string
    readonly parentId?: string
    readonly detail?: string
    readonly resolve: () => Promise<unknown>
  }>
}

const connectors = ["connectors:read", "connectors:write"] as const
const scim = ["scim:read", "scim:manage"] as const
const sso = ["sso:read", "sso:write"] as const
const rollouts = ["rollouts:read", "rollouts:write"] as const

const ok = async (response: Promise<{ readonly status: number; readonly text: string }>) => {
  const { status, text } = await response
  expect([status, text]).toEqual([status < 300 ? status : 200, text])
}

/** A rollout in its first ring. */
const rolling = async (plane: TestPlane) => {
  const world = await start(plane)
  await world.release("Second")
  await expect.poll(async () => (await world.rollout()).state).toBe("active")
  const { id } = await world.rollout()
  return { ...world, id: id as string, name: "Notes", parentId: world.pluginId }
}

const imports = (count: number) => ({
  ".claude-plugin/marketplace.json": marketplace(["alpha"]),
  ...Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`plugins/alpha/skills/s${index}/SKILL.md`, skill(`s${index}`)])
  )
})

/** A connected repository with this many skills, imported. */
const followed = async (plane: TestPlane, count: number) => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, imports(count))
  const connected = await connect(owner, dir)
  await imported(owner, connected)
  return { owner, dir, connected, name: connected.instance.name, parentId: connected.instance.id }
}

const mcpServer = async (plane: TestPlane, more: object) => {
  const owner = await makeWorkspace(plane)
  const input = { name: "Tools", url: "https://mcp.example/mcp", authType: "none", ...more }
  const { mcpConnection } = await succeeded(owner, "POST", "/v1/mcp-connections", input)
  return { owner, id: mcpConnection.id as string, name: "Tools" }
}

export const cases: Readonly<Record<AttentionKind, Case>> = {
  sync_approval: {
    permissions: ["connectors:read", "connectors:manage"],
    needsGrant: true,
    make: async (plane) => {
      const { connected, dir, ...world } = await followed(plane, 20)
      commit(
        dir,
        Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`plugins/alpha/skills/s${index}/SKILL.md`, null]))
      )
      const { id, status } = await synced(world.owner, connected)
      expect(status).toBe("review_required")
      return {
        ...world,
        id,
        detail: "Branch main: 7 objects would be removed.",
        resolve: () => world.owner.client.connectors.approveSync(id)
      }
    }
  },
  release_approval: {
    permissions: ["approvals:read", "approvals:write"],
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      await succeeded(owner, "PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
      const plugin = await owner.client.plugins.create({ name: "Notes" })
      await owner.client.configObjects.create({
        input: { type: "skill", rawSourceText: skill("review") },
        pluginIds: [plugin.id]
      })
      const [release] = await pending(owner, plugin.id)
      return {
        owner,
        id: release.id,
        name: "Notes",
        parentId: plugin.id,
        detail: "Release 1: new or changed capabilities.",
        resolve: () => owner.client.approvals.approve({ releases: [{ releaseId: release.id, digest: release.digest }] })
      }
    }
  },
  rollout_promotion: {
    permissions: rollouts,
    make: async (plane) => {
      const world = await rolling(plane)
      await runSql(
        plane,
        (sql) => sql`UPDATE rollouts SET soaks_from = now() - interval '31 days' WHERE id = ${world.id}`
      )
      return {
        ...world,
        detail: "The soak time of the ring Canary has ended.",
        resolve: () => ok(world.act(world.id, "promote", { ring: "Canary" }))
      }
    }
  },
  rollout_paused: {
    permissions: rollouts,
    make: async (plane) => {
      const world = await rolling(plane)
      await ok(world.act(world.id, "pause", { comment: "Wait for\nMonday." }))
      return { ...world, detail: "Wait for Monday.", resolve: () => ok(world.act(world.id, "resume", {})) }
    }
  },
  mcp_review: {
    permissions: ["mcpConnections:read", "mcpConnections:write"],
    needsGrant: true,
    make: async (plane) => {
      const server = await serveTools([tool("search")])
      const connection = await mcpServer(plane, { url: server.url })
      const at = `/v1/mcp-connections/${connection.id}`
      await succeeded(connection.owner, "GET", `${at}/tools?refresh=true`)
      server.tools = [tool("search", { description: "Something else." })]
      await succeeded(connection.owner, "GET", `${at}/tools?refresh=true`)
      await server.close()
      const { review } = await succeeded(connection.owner, "GET", `${at}/review`)
      return {
        ...connection,
        detail: "The tools of the server changed.",
        resolve: () =>
          ok(connection.owner.call("POST", `${at}/review`, { decision: "reject", fingerprint: review.fingerprint }))
      }
    }
  },
  scim_approval: {
    permissions: scim,
    make: async (plane) => {
      const directory = await makeDirectory(plane)
      await runSql(plane, (sql) => sql`UPDATE scim_directories SET created_at = now() WHERE id = ${directory.id}`)
      const users: Array<{ readonly id: string }> = []
      for (let count = 0; count < 8; count += 1) users.push(await makeUser(directory))
      for (const user of users.slice(0, 7)) {
        await directory.scim("PATCH", `/Users/${user.id}`, patchOf({ op: "replace", value: { active: false } }))
      }
      const at = `/v1/scim/directories/${directory.id}/holds`
      const [hold] = (await succeeded(directory.owner, "GET", at)).items
      return {
        owner: directory.owner,
        id: hold.id,
        name: "A directory",
        parentId: directory.id,
        detail: "2 of 8 active users would be deactivated.",
        resolve: () => ok(directory.owner.call("POST", `${at}/${hold.id}/reject`))
      }
    }
  },
  configuration_approval: {
    permissions: ["organizations:write"],
    needsGrant: true,
    make: async (plane) => {
      const keys = ["a", "b", "c", "d", "e", "f", "g"]
      const document = (names: ReadonlyArray<string>) => `${teams(...names)}prune: { teams: true }\n`
      const configured = await repositoryWith(plane, { "orgplane.yaml": document(keys) })
      await setSource(configured, { path: "orgplane.yaml" })
      await ended(configured.owner, 1)
      commit(configured.dir, { "orgplane.yaml": document(["a"]) })
      await configured.owner.client.configurationSource.run()
      const run = await ended(configured.owner, 2)
      expect(run.status).toBe("held")
      return {
        owner: configured.owner,
        id: run.id,
        name: configured.instance.name,
        parentId: configured.instance.id,
        detail: "6 objects would be removed.",
        resolve: () => configured.owner.client.configurationRuns.reject(run.id, {})
      }
    }
  },
  sync_failed: {
    permissions: connectors,
    needsGrant: true,
    make: async (plane) => {
      const { connected, dir, ...world } = await followed(plane, 1)
      rmSync(join(dir, ".git"), { recursive: true })
      const { id, status } = await synced(world.owner, connected)
      expect(status).toBe("failed")
      return {
        ...world,
        id,
        detail: "Branch main: The path is not a git repository.",
        resolve: () => world.owner.client.connectors.disable(connected.instance.id)
      }
    }
  },
  connector_failed: {
    permissions: connectors,
    needsGrant: true,
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { connectorInstanceId: id } = await makeConnector(plane, owner, "Plugins")
      await runSql(
        plane,
        (sql) => sql`UPDATE connector_instances SET status = 'error', status_reason = 'The repository was deleted.',
          remote_state = 'deleted' WHERE id = ${id}`
      )
      return {
        owner,
        id,
        name: "Plugins",
        detail: "The repository was deleted.",
        resolve: () => owner.client.connectors.archive(id)
      }
    }
  },
  connector_account_failed: {
    permissions: connectors,
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { connectorAccountId: id, connectorInstanceId } = await makeConnector(plane, owner)
      await runSql(
        plane,
        (sql) => sql`UPDATE connector_accounts SET status = 'error', status_reason = 'The app is suspended.'
          WHERE id = ${id}`
      )
      return {
        owner,
        id,
        name: "file",
        detail: "The app is suspended.",
        resolve: async () => {
          await owner.client.connectors.remove(connectorInstanceId)
          await owner.client.connectors.disconnectAccount(id)
        }
      }
    }
  },
  rollout_failing: {
    permissions: rollouts,
    make: async (plane) => {
      const world = await rolling(plane)
      // As the worker does.
      await runSql(
        plane,
        (sql) => sql`UPDATE rollouts SET state = 'paused', pause_reason = 'install_failures' WHERE id = ${world.id}`
      )
      return {
        ...world,
        detail: "Installations fail more often than with the previous release.",
        resolve: () => ok(world.act(world.id, "roll-back", { comment: "It fails." }))
      }
    }
  },
  configuration_failed: {
    permissions: ["organizations:write"],
    make: async (plane) => {
      const configured = await repositoryWith(plane, { "orgplane.yaml": "version: 1\nteams: 7\n" })
      await setSource(configured, { path: "orgplane.yaml" })
      const run = await ended(configured.owner, 1)
      expect(run.status).toBe("failed")
      return {
        owner: configured.owner,
        id: run.id,
        name: configured.instance.name,
        parentId: configured.instance.id,
        ...(run.problems[0] === undefined ? {} : { detail: run.problems[0].message }),
        resolve: async () => {
          commit(configured.dir, { "orgplane.yaml": teams("a") })
          await configured.owner.client.configurationSource.run()
          expect((await ended(configured.owner, 2)).status).toBe("applied")
        }
      }
    }
  },
  mcp_connection_disconnected: {
    permissions: ["mcpConnections:read"],
    needsGrant: true,
    make: async (plane) => {
      const connection = await mcpServer(plane, { authType: "apikey", credentialMode: "shared" })
      return {
        ...connection,
        detail: "The shared credential is missing.",
        resolve: () => ok(connection.owner.call("DELETE", `/v1/mcp-connections/${connection.id}`))
      }
    }
  },
  llm_provider_disconnected: {
    permissions: ["llmProviders:read"],
    needsGrant: true,
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { llmProvider } = await succeeded(owner, "POST", "/v1/llm-providers", {
        name: "Models",
        providerId: "custom",
        baseUrl: "https://models.example.com/v1",
        models: [],
        credentialMode: "shared"
      })
      return {
        owner,
        id: llmProvider.id,
        name: "Models",
        detail: "The shared key is missing.",
        resolve: () =>
          ok(owner.call("PUT", `/v1/llm-providers/${llmProvider.id}/credential`, { apiKey: "a-key-of-models" }))
      }
    }
  },
  webhook_endpoint_failing: {
    permissions: ["webhookEndpoints:read", "webhookEndpoints:write"],
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { item, path } = await createEndpoint(owner, "https://hooks.example/orgplane", { types: ["team.create"] })
      await runSql(
        plane,
        (sql) => sql`UPDATE webhook_endpoints SET state = 'disabled', pause_reason = 'gone', due_at = NULL,
          failing_since = now() WHERE id = ${item.id}`
      )
      return {
        owner,
        id: item.id,
        name: "Hook",
        detail: "Stopped: the URL returned 410.",
        resolve: () => ok(owner.call("POST", `${path}/resume`, {}))
      }
    }
  },
  event_stream_failing: {
    permissions: ["eventStreams:read", "eventStreams:write"],
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const destination = { kind: "https", url: "https://siem.example/events", token: "a-token-of-the-siem" }
      const { item } = await succeeded(owner, "POST", "/v1/event-streams", { name: "SIEM", destination })
      await runSql(
        plane,
        (sql) => sql`UPDATE event_streams SET failing_since = now(), last_error = 'HTTP 503',
          next_attempt_at = now() + interval '1 hour' WHERE id = ${item.id}`
      )
      return {
        owner,
        id: item.id,
        name: "SIEM",
        detail: "HTTP 503",
        resolve: () => ok(owner.call("POST", `/v1/event-streams/${item.id}/pause`))
      }
    }
  },
  sso_failed: {
    permissions: sso,
    make: async (plane) => {
      const { owner } = await connectSaml(plane, "failed.example")
      await runSql(
        plane,
        (
          sql
        ) => sql`UPDATE sso_connections SET last_test_json = last_test_json || '{"ok": false, "code": "nonce_mismatch"}'
          WHERE organization_id = ${owner.organizationId}`
      )
      const { sso: connection } = await succeeded(owner, "GET", "/v1/sso")
      return {
        owner,
        id: connection.id,
        name: connection.saml.idpEntityId,
        detail: "The last test failed. The ID token was issued for another sign-in.",
        resolve: () => ok(owner.call("POST", "/v1/sso/disable"))
      }
    }
  },
  sso_domain_failing: {
    permissions: sso,
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      await verifyDomain(plane, owner, "lapsed.example")
      await runSql(
        plane,
        (sql) => sql`UPDATE domains SET status = 'lapsed', failure = 'record_missing', failing_since = now()
          WHERE domain = 'lapsed.example'`
      )
      const [domain] = (await succeeded(owner, "GET", "/v1/sso/domains")).items
      return {
        owner,
        id: domain.id,
        name: "lapsed.example",
        detail: "The verification has lapsed. The TXT record is missing.",
        resolve: () => ok(owner.call("DELETE", `/v1/sso/domains/${domain.id}`))
      }
    }
  },
  scim_failing: {
    permissions: scim,
    make: async (plane) => {
      const directory = await makeDirectory(plane)
      const refused = await directory.scim("POST", "/Users", { schemas: ["urn:example:none"], userName: "ada" })
      expect(refused.status).toBe(400)
      // Refused requests are recorded after the response.
      const log = async () =>
        (await succeeded(directory.owner, "GET", `/v1/scim/directories/${directory.id}/log?decision=refused`)).items
      await expect.poll(log).toHaveLength(1)
      return {
        owner: directory.owner,
        id: directory.id,
        name: "A directory",
        detail: `POST returned 400: ${refused.body.detail}`,
        resolve: () => ok(directory.scim("POST", "/Users", someUser()))
      }
    }
  },
  api_key_expiring: {
    permissions: ["apiKeys:read", "apiKeys:manage"],
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { id } = await makeKey(plane, owner, ["plugins:read"])
      await runSql(
        plane,
        (
          sql
        ) => sql`UPDATE api_keys SET created_at = now() - interval '300 days', expires_at = now() + interval '29 days'
          WHERE id = ${id}`
      )
      return { owner, id, name: "A key", resolve: () => ok(owner.call("DELETE", `/v1/api-keys/${id}`)) }
    }
  },
  invitation_expiring: {
    permissions: ["invitations:read", "invitations:write"],
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { invitation } = await succeeded(owner, "POST", "/v1/invitations", {
        email: "ada@acme.example",
        role: "member"
      })
      await runSql(
        plane,
        (
          sql
        ) => sql`UPDATE invitations SET created_at = now() - interval '6 days', expires_at = now() + interval '1 day'
          WHERE id = ${invitation.id}`
      )
      return {
        owner,
        id: invitation.id,
        name: "ada@acme.example",
        resolve: () => ok(owner.call("POST", `/v1/invitations/${invitation.id}/resend`))
      }
    }
  },
  scim_token_expiring: {
    permissions: scim,
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { directoryId } = await makeScimToken(plane, owner)
      await runSql(
        plane,
        (
          sql
        ) => sql`UPDATE scim_tokens SET created_at = now() - interval '90 days', expires_at = now() - interval '1 minute'
          WHERE directory_id = ${directoryId}`
      )
      return {
        owner,
        id: directoryId,
        name: "A directory",
        resolve: () => ok(owner.call("POST", `/v1/scim/directories/${directoryId}/tokens`, {}))
      }
    }
  },
  saml_certificate_expiring: {
    permissions: sso,
    make: async (plane) => {
      const { owner } = await connectSaml(plane, "expiring.example")
      const time = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
      await runSql(
        plane,
        (sql) => sql`UPDATE sso_connections SET config_json = jsonb_set(jsonb_set(config_json,
            '{certificates,0,notBefore}', to_jsonb(${time(-300)}::text)),
            '{certificates,0,notAfter}', to_jsonb(${time(20)}::text))
          WHERE organization_id = ${owner.organizationId}`
      )
      const { sso: connection } = await succeeded(owner, "GET", "/v1/sso")
      return {
        owner,
        id: connection.id,
        name: connection.saml.idpEntityId,
        resolve: () => ok(owner.call("POST", "/v1/sso/disable"))
      }
    }
  },
  marketplace_link_expiring: {
    permissions: ["marketplaces:read"],
    needsGrant: true,
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const marketplaceId = await makeMarketplace(plane, owner)
      const { item } = await succeeded(owner, "POST", `/v1/marketplaces/${marketplaceId}/links`, { name: "Laptop" })
      await runSql(
        plane,
        (sql) => sql`UPDATE marketplace_links SET created_at = now() - interval '90 days',
          expires_at = now() + interval '1 day' WHERE id = ${item.id}`
      )
      return {
        owner,
        id: item.id,
        name: "Laptop",
        parentId: marketplaceId,
        resolve: () => ok(owner.call("DELETE", `/v1/marketplaces/${marketplaceId}/links/${item.id}`))
      }
    }
  },
  worker_token_expiring: {
    permissions: ["workers:read", "workers:write"],
    needsGrant: true,
    make: async (plane) => {
      const owner = await makeWorkspace(plane)
      const { worker } = await succeeded(owner, "POST", "/v1/workers", { name: "Laptop", destination: "local" })
      await succeeded(owner, "POST", `/v1/workers/${worker.id}/tokens`, {})
      await runSql(
        plane,
        (
          sql
        ) => sql`UPDATE worker_tokens SET created_at = now() - interval '90 days', expires_at = now() + interval '1 day'
          WHERE worker_id = ${worker.id}`
      )
      return {
        owner,
        id: worker.id,
        name: "Laptop",
        resolve: () => ok(owner.call("POST", `/v1/workers/${worker.id}/tokens`, {}))
      }
    }
  }
}
