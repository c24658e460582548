/** Body fields that handlers require beyond the schema, by operation. Without them, the expensive work never runs. */
import { idOf, type Ids, type Json } from "./cost-bodies.ts"

export interface Room {
  readonly ids: Ids
  /** Unique per body, for values that must be unique. */
  readonly n: number
  /** The content of the body's strings, at the required size. */
  readonly text: string
}

type Members = { readonly [name: string]: Json }

const scim = (kind: string) => `urn:ietf:params:scim:${kind}`
const search = ({ text }: Room): Members => ({
  schemas: [scim("api:messages:2.0:SearchRequest")],
  filter: `displayName eq "${text.slice(0, 3000).replaceAll(/[\\"\n]/gu, "")}"`
})
const shared = (): Members => ({ role: "viewer", orgWide: true })
const source = ({ text }: Room): Members => ({
  input: { type: "skill", rawSourceText: `---\nname: a\ndescription: ${text.slice(0, 30_000)}\n---\n${text}` }
})
const policy = ({ n }: Room): Members => ({
  create: { policyName: `Policy ${n}`, policy: {}, memberIds: [], teamIds: [] }
})

const contentOf = ({ n, text }: Room): Members => ({
  plugin: { name: `Plugin ${n}` },
  objects: [
    {
      type: "skill",
      metadata: { fileName: "SKILL.md" },
      rawSourceText: `---\nname: a\ndescription: b\n---\n${text}`
    }
  ]
})

export const needed: Readonly<Record<string, (room: Room) => Members>> = {
  "capabilities.createMailDraft": ({ text }) => ({ to: ["a@example.com"], subject: "a", body: text }),
  "configObjects.create": source,
  "configObjects.createVersion": source,
  "configObjects.grantAccess": shared,
  "connectors.grantAccess": shared,
  "connectors.updateInstance": ({ n }) => ({ name: `Instance ${n}` }),
  "desktopPolicies.simulate": policy,
  "invitations.create": ({ n }) => ({ email: `person-${n}@example.com` }),
  "llmProviders.create": ({ n }) => ({
    name: `Provider ${n}`,
    providerId: "custom",
    baseUrl: "https://models.example.com/v1",
    models: []
  }),
  "llmProviders.grantAccess": shared,
  "marketplaces.grantAccess": shared,
  "mcpConnections.create": ({ n }) => ({
    name: `Server ${n}`,
    url: `https://mcp-${n}.example.com/mcp`,
    authType: "none"
  }),
  "mcpConnections.grantAccess": shared,
  "members.add": ({ n }) => ({ email: `member-${n}@example.com` }),
  "plugins.grantAccess": shared,
  "scim.setGroupRole": () => ({ role: "member" }),
  "scimProtocol.bulk": ({ n, text }) => ({
    schemas: [scim("api:messages:2.0:BulkRequest")],
    Operations: Array.from({ length: Math.min(100, 1 + Math.floor(text.length / 2000)) }, (_, index) => ({
      method: "POST",
      path: "/Users",
      bulkId: `b${index}`,
      data: {
        schemas: [scim("schemas:core:2.0:User")],
        userName: `bulk-${n}-${index}@example.com`,
        title: text.slice(0, 1000)
      }
    }))
  }),
  "scimProtocol.createGroup": ({ ids, n }) => ({
    schemas: [scim("schemas:core:2.0:Group")],
    displayName: `Group ${n}`,
    members: ids.has("scu") ? [{ value: idOf(ids, "scu") }] : []
  }),
  "scimProtocol.createUser": ({ n, text }) => ({
    schemas: [scim("schemas:core:2.0:User")],
    userName: `person-${n}@example.com`,
    title: text.slice(0, 1000)
  }),
  "scimProtocol.search": search,
  "scimProtocol.searchGroups": search,
  "scimProtocol.searchUsers": search,
  "sessions.startEmail": ({ n }) => ({ email: `person-${n}@example.com` }),
  "sso.putOidc": () => ({ issuer: "https://issuer.example.com", clientId: "a" }),
  "ssoDomains.create": ({ n }) => ({ domain: `d${n}.example.com` }),
  "templates.create": (room) => ({ name: `Template ${room.n}`, content: contentOf(room) }),
  "templates.createVersion": (room) => ({ content: contentOf(room) })
}
