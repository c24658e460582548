/** One object of each kind that needs attention. What depends on time is made older in the database. */
import type { AttentionKind } from "@orgplane/schema/attention"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { serveTools, tool } from "../agents/mcp.fixture.ts"
import { pending } from "../content/approvals.fixture.ts"
import { connect, imported, marketplace, repositoryIn, skill, synced } from "../content/connectors.fixture.ts"
import { start, succeeded } from "../content/rollouts.fixture.ts"
import { makeConnector, makeMarketplace, makeWorkspace, runSql, type TestPlane } from "../harness.ts"
import { type Case, ok, organizationCases } from "./attention-organization.fixture.ts"
import { ended, repositoryWith, setSource, teams } from "./configuration-source.fixture.ts"

const connectors = ["connectors:read", "connectors:write"] as const
const rollouts = ["rollouts:read", "rollouts:write"] as const

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
  ...organizationCases,
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
        detail: `Release ${release.number}: new or changed capabilities.`,
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
