/** One object of each kind of the organization itself that needs attention: its people, credentials and receivers. */
import type { AttentionKind } from "@orgplane/schema/attention"
import type { Permission } from "@orgplane/schema/shared/permissions"
import { expect } from "vitest"
import { succeeded } from "../content/rollouts.fixture.ts"
import { connectSaml } from "../enterprise/sso-saml.fixture.ts"
import { makeDirectory, makeUser, patchOf, someUser, verifyDomain } from "../enterprise/scim.fixture.ts"
import { makeKey, makeScimToken, makeWorkspace, runSql, type TestPlane, type Workspace } from "../harness.ts"
import { createEndpoint } from "../identity/webhook-endpoints.fixture.ts"

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

const scim = ["scim:read", "scim:manage"] as const
const sso = ["sso:read", "sso:write"] as const

/** Requires that the request succeeds. */
export const ok = async (response: Promise<{ readonly status: number; readonly text: string }>) => {
  const { status, text } = await response
  expect([status, text]).toEqual([status < 300 ? status : 200, text])
}

export const organizationCases = {
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
  }
} satisfies Partial<Record<AttentionKind, Case>>
