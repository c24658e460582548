/** The specification's tables as data, against the contract; and what every operation must say of itself. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { builtInRoles, catalogue } from "../packages/schema/src/shared/permissions.ts"
import { conflictCodes, forbiddenReasons } from "../packages/schema/src/shared/errors.ts"
import { contract } from "../scripts/codegen/reflect.ts"

type Json = Record<string, unknown>
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Json
}
interface Media {
  readonly content?: Record<string, { readonly schema: Json }>
}
interface Operation {
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: Media
  readonly responses: Record<string, Media>
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, Json> }
}

const root = join(import.meta.dirname, "..")
const document = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")) as Document
const operations = contract().groups.flatMap((group) => group.operations)
const known = new Map(operations.map((operation) => [operation.operationId, operation]))

/** A schema without references, descriptions and the words that only humans read. */
const flat = (schema: Json): Json => {
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined
  const { $ref: _, description: __, ...own } = schema
  const target = name === undefined ? own : { ...document.components.schemas[name], ...own }
  const { description: ___, allOf, ...rest } = target
  return Object.assign({}, rest, ...((allOf ?? []) as ReadonlyArray<Json>).map(flat)) as Json
}
const membersOf = (schema: Json): Record<string, Json> => (flat(schema)["properties"] ?? {}) as Record<string, Json>
const at = (method: string, path: string): Operation => {
  const found = document.paths[path]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`no ${method} ${path}`)
  return found
}
const answer = (operation: Operation, status: number): Json =>
  operation.responses[status]?.content?.["application/json"]?.schema ?? {}

const objectTypes = ["skill", "agent", "command", "tool", "mcp", "hook", "context", "custom"]
const bounded = (minLength: number, maxLength: number) => ({ type: "string", minLength, maxLength })
const integer = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum })
const id = (prefix: string) => ({ type: "string", pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$` })
const page = { cursor: bounded(1, 255), limit: integer(1, 100) }

interface Shown {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly params: Record<string, Json>
  readonly query?: Record<string, Json>
  /** Members of the query that cannot be left out. */
  readonly needs?: ReadonlyArray<string>
  /** Optional members of the query that the service takes beside those. */
  readonly further?: ReadonlyArray<string>
  readonly body?: Record<string, Json>
  readonly required?: ReadonlyArray<string>
  readonly status: number
  /** Members of the answer, all of them required. */
  readonly answer: ReadonlyArray<string>
  /** Members of the answer that are there when there is something to say. */
  readonly answerMaybe?: ReadonlyArray<string>
  readonly errors: ReadonlyArray<number>
}

const instance = { connectorInstanceId: id("cin") }
const anInstance = "/v1/connector-instances/{connectorInstanceId}"

const desktopPolicy = {
  policyName: bounded(1, 255),
  policy: { type: "object" },
  priority: integer(0, 1_000_000),
  isEnabled: { type: "boolean" },
  memberIds: { type: "array", maxItems: 500 },
  teamIds: { type: "array", maxItems: 500 }
}

const shown: ReadonlyArray<Shown> = [
  {
    operation: "admin.metrics",
    method: "GET",
    path: "/v1/admin/metrics",
    params: {},
    status: 200,
    answer: ["summary", "generatedAt"],
    errors: [401, 403]
  },
  {
    operation: "desktopPolicies.create",
    method: "POST",
    path: "/v1/desktop-policies",
    params: {},
    body: desktopPolicy,
    required: ["policyName", "policy"],
    status: 201,
    answer: ["desktopPolicy"],
    errors: [400, 401, 402, 403, 409]
  },
  {
    operation: "desktopPolicies.update",
    method: "PATCH",
    path: "/v1/desktop-policies/{desktopPolicyId}",
    params: { desktopPolicyId: id("dpo") },
    body: desktopPolicy,
    required: [],
    status: 200,
    answer: ["desktopPolicy"],
    errors: [400, 401, 402, 403, 404, 409]
  },
  {
    operation: "mcpConnections.callTool",
    method: "POST",
    path: "/v1/mcp-connections/{connectionId}/tools/call",
    params: { connectionId: id("emc") },
    body: { toolName: bounded(1, 255), arguments: { type: "object" } },
    required: ["toolName", "arguments"],
    status: 200,
    answer: ["referenceId", "durationMs", "result", "inspection"],
    errors: [400, 401, 403, 404, 409, 413, 502]
  },
  {
    operation: "mcpConnections.resolve",
    method: "POST",
    path: "/v1/mcp-connections/resolve",
    params: {},
    body: { query: bounded(1, 200) },
    required: ["query"],
    status: 200,
    answer: ["resolution", "attempted", "reason"],
    answerMaybe: ["preset", "match"],
    errors: [400, 401, 403, 503]
  },
  {
    operation: "connectors.listMappings",
    method: "GET",
    path: "/v1/connector-targets/{connectorTargetId}/mappings",
    params: { connectorTargetId: id("ctg") },
    query: {
      ...page,
      mappingKind: { enum: ["path", "api", "custom"] },
      objectType: { enum: objectTypes },
      pluginId: id("plg"),
      q: bounded(1, 255)
    },
    status: 200,
    answer: ["items", "nextCursor"],
    errors: [400, 401, 404]
  },
  {
    operation: "connectors.updateInstance",
    method: "PATCH",
    path: anInstance,
    params: instance,
    body: { remoteId: { type: "string" }, name: { type: "string" }, config: { type: "object" } },
    required: [],
    status: 200,
    answer: ["ok", "item"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "connectors.enable",
    method: "POST",
    path: `${anInstance}/enable`,
    params: instance,
    status: 200,
    answer: ["ok", "item"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "connectors.remove",
    method: "POST",
    path: `${anInstance}/remove`,
    params: instance,
    status: 200,
    answer: ["ok", "item"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "connectors.discovery",
    method: "GET",
    path: `${anInstance}/discovery`,
    params: instance,
    further: ["connectorTargetId"],
    status: 200,
    answer: ["ok", "item"],
    errors: [400, 401, 404]
  },
  {
    operation: "connectors.tree",
    method: "GET",
    path: `${anInstance}/discovery/tree`,
    params: instance,
    query: { cursor: bounded(1, 255), limit: integer(1, 500), prefix: bounded(1, 1024) },
    further: ["connectorTargetId"],
    status: 200,
    answer: ["items", "nextCursor"],
    errors: [400, 401, 404]
  },
  {
    operation: "connectors.listAccess",
    method: "GET",
    path: `${anInstance}/access`,
    params: instance,
    query: page,
    status: 200,
    answer: ["items", "nextCursor"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "configObjects.create",
    method: "POST",
    path: "/v1/config-objects",
    params: {},
    body: { input: { type: "object" }, pluginIds: { type: "array", maxItems: 100 } },
    required: ["input"],
    status: 201,
    answer: ["ok", "item"],
    errors: [400, 401, 403]
  },
  {
    operation: "configObjects.listAccess",
    method: "GET",
    path: "/v1/config-objects/{configObjectId}/access",
    params: { configObjectId: id("cob") },
    query: page,
    status: 200,
    answer: ["items", "nextCursor"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "configObjects.revokeAccess",
    method: "DELETE",
    path: "/v1/config-objects/{configObjectId}/access/{grantId}",
    params: { configObjectId: id("cob"), grantId: id("coa") },
    status: 204,
    answer: [],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "plugins.get",
    method: "GET",
    path: "/v1/plugins/{pluginId}",
    params: { pluginId: id("plg") },
    status: 200,
    answer: ["item"],
    errors: [400, 401, 404]
  },
  {
    operation: "plugins.listObjects",
    method: "GET",
    path: "/v1/plugins/{pluginId}/config-objects",
    params: { pluginId: id("plg") },
    query: page,
    status: 200,
    answer: ["items", "nextCursor"],
    errors: [400, 401, 404]
  },
  {
    operation: "marketplaces.listPlugins",
    method: "GET",
    path: "/v1/marketplaces/{marketplaceId}/plugins",
    params: { marketplaceId: id("mkt") },
    query: page,
    status: 200,
    answer: ["items", "nextCursor"],
    errors: [400, 401, 404]
  },
  {
    operation: "marketplaces.resolved",
    method: "GET",
    path: "/v1/marketplaces/{marketplaceId}/resolved",
    params: { marketplaceId: id("mkt") },
    status: 200,
    answer: ["ok", "item"],
    errors: [400, 401, 404]
  },
  {
    operation: "marketplaces.revokeAccess",
    method: "DELETE",
    path: "/v1/marketplaces/{marketplaceId}/access/{grantId}",
    params: { marketplaceId: id("mkt"), grantId: id("mag") },
    status: 204,
    answer: [],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "capabilities.createMailDraft",
    method: "POST",
    path: "/v1/capabilities/suite-a/mail-drafts",
    params: {},
    body: {
      to: { type: "array", minItems: 1, maxItems: 50 },
      subject: bounded(1, 998),
      body: { type: "string", maxLength: 200_000 },
      cc: { type: "array", maxItems: 50 },
      bcc: { type: "array", maxItems: 50 }
    },
    required: ["to", "subject", "body"],
    status: 200,
    answer: ["ok", "draft"],
    errors: [400, 401, 403, 409, 502]
  },
  {
    operation: "capabilities.getMailMessage",
    method: "GET",
    path: "/v1/capabilities/suite-a/mail-message/{messageId}",
    params: { messageId: bounded(1, 1024) },
    status: 200,
    answer: ["ok", "message"],
    errors: [400, 401, 403, 409, 502]
  },
  {
    operation: "capabilities.updateCalendarEvent",
    method: "PATCH",
    path: "/v1/capabilities/suite-b/calendar-event/{eventId}",
    params: { eventId: bounded(1, 512) },
    body: { createMeetLink: { type: "boolean" } },
    required: ["createMeetLink"],
    status: 200,
    answer: ["ok", "eventId", "htmlLink", "summary", "start", "end", "meetLink"],
    errors: [400, 401, 403, 409, 502]
  },
  {
    operation: "memory.save",
    method: "POST",
    path: "/v1/memory",
    params: {},
    body: {
      content: bounded(1, 8000),
      tags: { type: "array", maxItems: 32 },
      contexts: { type: "array", maxItems: 16 }
    },
    required: ["content"],
    status: 201,
    answer: ["memory"],
    errors: [400, 401, 403, 409]
  },
  {
    operation: "memory.search",
    method: "GET",
    path: "/v1/memory/search",
    params: {},
    query: {
      q: bounded(1, 512),
      limit: integer(1, 50),
      tag: bounded(1, 64),
      organization: { enum: ["current", "all"] }
    },
    needs: ["q"],
    status: 200,
    answer: ["results"],
    errors: [400, 401, 403]
  },
  {
    operation: "ssoDomains.verify",
    method: "POST",
    path: "/v1/sso/verify-domain",
    params: {},
    status: 204,
    answer: [],
    errors: [400, 401, 402, 403, 404]
  },
  {
    operation: "telemetry.ingest",
    method: "POST",
    path: "/v1/telemetry/ingest",
    params: {},
    body: { events: { type: "array", minItems: 1, maxItems: 50 } },
    required: ["events"],
    status: 204,
    answer: [],
    errors: [400, 401]
  },
  {
    operation: "workers.get",
    method: "GET",
    path: "/v1/workers/{id}",
    params: { id: bounded(1, 255) },
    status: 200,
    answer: ["worker", "instance"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "workers.upgradeRuntime",
    method: "POST",
    path: "/v1/workers/{id}/runtime/upgrade",
    params: { id: bounded(1, 255) },
    // The members are the runtime's own, and so are those of its answer.
    body: {},
    required: [],
    status: 200,
    answer: [],
    errors: [400, 401, 403, 404, 409, 502]
  },
  {
    operation: "webhooks.codehost",
    method: "POST",
    path: "/v1/webhooks/connectors/codehost",
    params: {},
    // The payload is the code host's own; it is verified as bytes.
    body: {},
    required: [],
    status: 202,
    answer: ["ok", "accepted", "deliveryId", "queued"],
    errors: [400, 401, 413, 503]
  }
]

describe.each(shown.map((operation) => [operation.operation, operation] as const))("%s", (name, said) => {
  const operation = at(said.method, said.path)

  it("is where the specification shows it, and says so", () => {
    expect(known.get(name)).toMatchObject({ method: said.method, specified: true })
    expect(known.get(name)?.path.replace(/:(\w+)/g, "{$1}")).toBe(said.path)
  })

  it("takes what the specification says, within its bounds", () => {
    const parameters = (place: string) =>
      Object.fromEntries(
        operation.parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, schema }) => [name, flat(schema)])
      )
    expect(parameters("path")).toEqual(said.params)
    const query = parameters("query")
    expect(Object.keys(query).sort()).toEqual([...Object.keys(said.query ?? {}), ...(said.further ?? [])].sort())
    expect(query).toMatchObject(said.query ?? {})
    expect(
      operation.parameters
        .filter((parameter) => parameter.required && parameter.in !== "header")
        .map(({ name }) => name)
    ).toEqual([...Object.keys(said.params), ...(said.needs ?? [])])
    const body = operation.requestBody?.content?.["application/json"]?.schema
    expect(body === undefined).toBe(said.body === undefined)
    if (body === undefined) return
    expect(Object.keys(membersOf(body)).sort()).toEqual(Object.keys(said.body ?? {}).sort())
    for (const [member, schema] of Object.entries(said.body ?? {})) {
      expect(flat(membersOf(body)[member] ?? {}), member).toMatchObject(schema)
    }
    expect(flat(body)["required"] ?? []).toEqual(said.required)
  })

  it("answers what the specification says", () => {
    expect(operation.responses).toHaveProperty(String(said.status))
    const schema = answer(operation, said.status)
    expect(Object.keys(membersOf(schema)).sort()).toEqual([...said.answer, ...(said.answerMaybe ?? [])].sort())
    if (said.answer.length > 0)
      expect((flat(schema)["required"] as ReadonlyArray<string>).toSorted()).toEqual([...said.answer].sort())
    expect(Object.keys(operation.responses).map(Number)).toEqual(expect.arrayContaining([...said.errors]))
  })
})

/** Every member that the specification names; the contract may add some, and never makes one of these optional. */
const records: Record<string, ReadonlyArray<string>> = {
  Worker: [
    "id",
    "orgId",
    "createdByUserId",
    "isMine",
    "name",
    "description",
    "destination",
    "status",
    "imageVersion",
    "workspacePath",
    "sandboxBackend",
    "lastHeartbeatAt",
    "lastActiveAt",
    "createdAt",
    "updatedAt"
  ],
  WorkerInstance: ["provider", "region", "url", "status", "createdAt", "updatedAt"],
  ConnectorMapping: [
    "id",
    "connectorInstanceId",
    "connectorTargetId",
    "connectorType",
    "remoteId",
    "mappingKind",
    "selector",
    "objectType",
    "pluginId",
    "autoAddToPlugin",
    "mappingConfigJson",
    "createdAt",
    "updatedAt"
  ],
  ConnectorInstance: [
    "id",
    "organizationId",
    "connectorAccountId",
    "connectorType",
    "remoteId",
    "name",
    "instanceConfigJson",
    "lastSyncedAt",
    "lastSyncCursor",
    "createdByOrgMembershipId",
    "createdAt",
    "updatedAt"
  ],
  ConnectorTarget: [
    "id",
    "connectorInstanceId",
    "connectorType",
    "remoteId",
    "targetKind",
    "externalTargetRef",
    "targetConfigJson",
    "createdAt",
    "updatedAt"
  ],
  Discovery: [
    "autoImportNewPlugins",
    "connectorInstance",
    "connectorTarget",
    "discoveredPlugins",
    "repositoryFullName",
    "sourceRevisionRef",
    "steps",
    "treeSummary",
    "warnings"
  ],
  DiscoveredPlugin: [
    "key",
    "rootPath",
    "displayName",
    "description",
    "selectedByDefault",
    "supported",
    "manifestPath",
    "warnings",
    "componentKinds",
    "componentPaths",
    "metadata"
  ],
  TreeEntry: ["id", "path", "sha", "size"],
  ConfigObject: [
    "id",
    "organizationId",
    "title",
    "description",
    "searchText",
    "currentFileName",
    "currentFileExtension",
    "currentRelativePath",
    "createdByOrgMembershipId",
    "connectorInstanceId",
    "createdAt",
    "updatedAt",
    "deletedAt",
    "latestVersion"
  ],
  ConfigObjectVersion: [
    "id",
    "configObjectId",
    "schemaVersion",
    "normalizedPayloadJson",
    "rawSourceText",
    "createdByOrgMembershipId",
    "connectorSyncEventId",
    "sourceRevisionRef",
    "isDeletedVersion",
    "createdAt"
  ],
  PluginMembership: [
    "id",
    "pluginId",
    "configObjectId",
    "connectorMappingId",
    "createdByOrgMembershipId",
    "createdAt",
    "removedAt",
    "configObject"
  ],
  Plugin: [
    "id",
    "organizationId",
    "name",
    "description",
    "createdByOrgMembershipId",
    "createdAt",
    "updatedAt",
    "deletedAt",
    "memberCount",
    "marketplaces",
    "extension"
  ],
  PluginExtension: ["id", "name", "description", "manifest"],
  PluginManifest: [
    "schemaVersion",
    "id",
    "name",
    "description",
    "source",
    "resources",
    "contributions",
    "setup",
    "lifecycle"
  ],
  MarketplaceMembership: [
    "id",
    "marketplaceId",
    "pluginId",
    "createdByOrgMembershipId",
    "createdAt",
    "removedAt",
    "plugin"
  ],
  ResolvedPlugin: ["id", "name", "componentCounts", "cloudReadiness"],
  CloudReadiness: ["hasInstructional", "connections"],
  ReadinessConnection: [
    "configObjectId",
    "id",
    "name",
    "serverName",
    "url",
    "authTypeMismatch",
    "connectedForMe",
    "oauthClientConfigured",
    "oauthClientRequired"
  ],
  Marketplace: [
    "id",
    "organizationId",
    "name",
    "description",
    "logoUrl",
    "createdByOrgMembershipId",
    "createdAt",
    "updatedAt",
    "deletedAt",
    "canDelete",
    "pluginCount"
  ],
  Memory: ["id", "content", "tags", "source", "scope", "createdAt", "updatedAt"],
  MemorySearchResult: ["id", "content", "tags", "source", "scope", "createdAt", "updatedAt", "score"],
  MailMessage: [
    "id",
    "conversationId",
    "subject",
    "receivedDateTime",
    "preview",
    "from",
    "to",
    "webLink",
    "hasAttachments",
    "cc",
    "body",
    "bodyContentType",
    "bodyTruncated"
  ],
  MarketplaceSource: ["connectorAccountId", "connectorInstanceId", "accountLogin", "repositoryFullName", "branch"],
  ...Object.fromEntries(
    ["ConnectorInstanceGrant", "ConfigObjectGrant", "MarketplaceGrant", "PluginGrant"].map((name) => [
      name,
      ["id", "orgMembershipId", "teamId", "orgWide", "createdByOrgMembershipId", "createdAt", "removedAt"]
    ])
  )
}

describe("the records of the specification", () => {
  it.each(Object.entries(records))("%s has every member it names, and has it always", (name, members) => {
    const schema = document.components.schemas[name] ?? {}
    expect(Object.keys(membersOf(schema))).toEqual(expect.arrayContaining([...members]))
    // Absent is nothing that a record says: all of its members are there.
    expect((schema["required"] as ReadonlyArray<string>).toSorted()).toEqual(Object.keys(membersOf(schema)).sort())
    for (const [member, value] of Object.entries(membersOf(schema))) {
      if (member.endsWith("At")) expect(JSON.stringify(value), member).toContain("Timestamp")
    }
  })

  it("hold the enumerations of the specification", () => {
    const { ConnectorMapping, ConfigObject } = document.components.schemas
    const mapping = membersOf(ConnectorMapping ?? {})
    expect(flat(mapping["connectorType"] ?? {})["enum"]).toEqual(["codehost"])
    expect(flat(mapping["mappingKind"] ?? {})["enum"]).toEqual(["path", "api", "custom"])
    expect(flat(mapping["objectType"] ?? {})["enum"]).toEqual(objectTypes)
    expect(flat(mapping["selector"] ?? {})).toMatchObject(bounded(1, 255))
    expect(flat(membersOf(ConfigObject ?? {})["sourceMode"] ?? {})["enum"]).toEqual(["cloud", "import", "connector"])
    const targetKind = flat(membersOf(document.components.schemas["ConnectorTarget"] ?? {})["targetKind"] ?? {})
    expect(targetKind["enum"]).toEqual(["repository_branch"])
  })

  it("name identifiers by the prefixes of the specification, 30 characters long, 29 for members", () => {
    const lengths = { ctg: 30, cin: 30, cmp: 30, plg: 30, mkt: 30, cob: 30, coa: 30, mag: 30, om: 29 }
    const patterns = Object.values(document.components.schemas).map((schema) => String(schema["pattern"]))
    for (const [prefix, length] of Object.entries(lengths)) {
      expect(patterns).toContain(id(prefix).pattern)
      expect(new RegExp(id(prefix).pattern).test(`${prefix}_${"0".repeat(26)}`)).toBe(true)
      expect(prefix.length + 27).toBe(length)
    }
  })
})

/** The parts of a create that the specification bounds but this document shows only inside. */
it("takes a config object's input with the members that the specification names", () => {
  const body = at("POST", "/v1/config-objects").requestBody?.content?.["application/json"]?.schema ?? {}
  const input = membersOf(membersOf(body)["input"] ?? {})
  expect(Object.keys(input).sort()).toEqual(
    ["type", "sourceMode", "rawSourceText", "normalizedPayloadJson", "parserMode", "schemaVersion", "metadata"].sort()
  )
  expect(flat(input["type"] ?? {})["enum"]).toEqual(objectTypes)
  expect(flat(input["sourceMode"] ?? {})["enum"]).toEqual(["cloud", "import", "connector"])
})

describe("every operation", () => {
  const each = operations.map((operation) => [operation.operationId, operation] as const)
  /** Questions whose words do not fit into a path, or are a secret; and events, of which the ledger tells. */
  const onlyLooks = [
    "access.explain",
    "access.impact",
    "audit.verify",
    "bootstrap.previewClaim",
    "invitations.preview",
    "connectors.plan",
    "mcpConnections.resolve",
    "telemetry.ingest",
    // What a worker says of itself, many times an hour: the worker tells of it.
    "workers.heartbeat",
    "workers.reportActivity",
    // What comes of it is the answer, and nothing is kept.
    "llmProviders.test",
    "desktopPolicies.simulate",
    "templates.preview",
    "scimProtocol.searchUsers",
    "scimProtocol.searchGroups",
    "scimProtocol.search"
  ]

  it("has an id of its own", () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    expect(new Set(operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, "*")}`)).size).toBe(
      operations.length
    )
  })

  it.each(each)("%s says who may call it and what it does, under /v1", (_, operation) => {
    expect(operation.path).toMatch(/^\/v1\/[a-z0-9./:A-Z-]+$/)
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    const { access } = operation
    if (access.kind === "permission") expect(catalogue.map(({ permission }) => permission)).toContain(access.permission)
    // Somebody without a custom role can reach it.
    if (access.kind === "permission") expect(builtInRoles.owner).toContain(access.permission)
  })

  it.each(each)("%s is audited when it changes something, and only then", (_, operation) => {
    // A browser comes back by GET, and whether somebody is let in is on record.
    const isBack = operation.operationId === "sso.oidcCallback"
    const changes = (operation.method !== "GET" || isBack) && !onlyLooks.includes(operation.operationId)
    expect(operation.audited !== undefined).toBe(changes)
    if (operation.audited !== undefined) expect(operation.audited).toMatch(/^[a-zA-Z_]+\.[a-z_]+$/)
  })

  it.each(each)("%s honours an idempotency key where a repetition could do harm", (_, operation) => {
    // What an identity provider sends twice it finds done.
    const open = ["public", "signature", "state", "scim"].includes(operation.access.kind)
    if (operation.method !== "POST" || open) expect(operation.idempotency).toBe("none")
    // A claim and an invitation are their own keys: they work once.
    else if (/^(bootstrap\.acceptClaim|invitations\.accept)$/.test(operation.operationId)) return
    else if (operation.holdsSecret) expect(operation.idempotency).toBe("fact")
    // Looks again each time, and marks what it finds.
    else if (operation.operationId === "ssoDomains.verify") expect(operation.idempotency).toBe("none")
    else if (onlyLooks.includes(operation.operationId)) expect(operation.idempotency).toBe("none")
    else expect(operation.idempotency).toBe("response")
  })

  it.each(each)("%s answers a page exactly when it lists", (_, operation) => {
    // SCIM has pages of its own.
    if (operation.access.kind === "scim") return expect(operation.paged).toBe(false)
    const isList = /^(list|tree$|library$|organizations$|checkpoints$|dimensions$|ledger$|log$)/.test(operation.name)
    expect(operation.paged).toBe(isList)
    if (!isList) return
    const names = operation.query.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["cursor", "limit"]))
    // A list may tell more of itself after its page.
    expect(operation.success[0]?.members.map(({ name }) => name).slice(0, 2)).toEqual(["items", "nextCursor"])
    expect(operation.query.find(({ name }) => name === "limit")).toMatchObject({
      minimum: 1,
      maximum: operation.name === "tree" ? 500 : 100
    })
  })

  /** Operations that no kind tells. */
  const answersOf: Readonly<Record<string, ReadonlyArray<number>>> = {
    "system.ready": [200, 503],
    "ssoDomains.verify": [204],
    "telemetry.ingest": [204],
    "webhooks.codehost": [200, 202],
    "workers.reportActivity": [201],
    "scimProtocol.createUser": [201],
    "scimProtocol.createGroup": [201],
    // Thousands of members are told only to who asks.
    "scimProtocol.updateGroup": [200, 204],
    // As the runtime said.
    "workers.upgradeRuntime": [200, 201, 202],
    // The HTML page of a failed sign-in has the status of its error.
    "mcpConnections.callback": [200, 303, 403, 410],
    "capabilities.callback": [200, 303, 403, 410],
    "sso.oidcCallback": [200, 303, 403, 410],
    "sso.samlAcs": [200, 303, 403, 410],
    "sso.complete": [201]
  }
  /** A new row, or the one that is there already. */
  const makesOrKeeps = ["createVersion", "restoreVersion", "attachPlugin", "addObject", "addPlugin", "completeInstall"]
  const makes = [
    "createLink",
    "createDirectory",
    "rotateToken",
    "create",
    "createTarget",
    "createToken",
    "createMapping",
    "save",
    "createAccount",
    "createInstance",
    "workspace",
    "setup",
    "add",
    "exchange",
    "instantiate",
    "verifyEmail"
  ]
  const queues = ["sync", "approveSync", "resync", "retrySync", "rollback", "startEmail"]

  it.each(each)("%s succeeds with the status that its kind of work has", (_, operation) => {
    const statuses = operation.success.map(({ status }) => status)
    const { method, name, operationId } = operation
    const kind = (names: ReadonlyArray<string>) => method === "POST" && names.some((said) => name === said)
    const expected =
      answersOf[operationId] ??
      (method === "DELETE"
        ? [204]
        : name.startsWith("grant") || kind(makesOrKeeps)
          ? [200, 201]
          : kind(makes)
            ? [201]
            : kind(queues)
              ? [202]
              : [200])
    expect([...new Set(statuses)].sort()).toEqual(expected)
  })
})

it("is marked as specified exactly where the specification shows it", () => {
  const marked = operations.filter(({ specified }) => specified).map(({ operationId }) => operationId)
  expect(marked.sort()).toEqual(shown.map(({ operation }) => operation).sort())
})

describe("the closed lists", () => {
  const sources = (folder: string): ReadonlyArray<string> =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  const schema = sources(join(root, "packages/schema/src"))
  const server = sources(join(root, "packages/server/src"))

  it("of reasons and codes hold what operations fail with, each once", () => {
    const declared = operations.flatMap(({ errors }) => errors)
    const notConnectedCodes = new Set(["connection_not_ready", "needs_connection"])
    const reasons = new Set<string>(forbiddenReasons)
    const codes = new Set<string>(conflictCodes)
    expect(reasons.size).toBe(forbiddenReasons.length)
    expect(codes.size).toBe(conflictCodes.length)
    for (const { code, reasons: own, status } of declared) {
      const isOfTheList = status === 409 && code !== undefined && !notConnectedCodes.has(code)
      if (isOfTheList) expect(codes).toContain(code)
      for (const reason of own) expect(reasons).toContain(reason)
    }
    // A reason that is given is one of the list, and is given somewhere under that name only.
    const given = server.flatMap((text) => [...text.matchAll(/reason: "(\w+)"/g)].map(([, reason = ""]) => reason))
    expect(given.length).toBeGreaterThan(0)
    expect(given.filter((reason) => !reasons.has(reason))).toEqual([])
    const made = schema.flatMap((text) => [...text.matchAll(/\bconflict\(\s*"(\w+)"/g)].map(([, code = ""]) => code))
    expect(made.length).toBeGreaterThan(0)
    expect(made.filter((code) => !codes.has(code))).toEqual([])
  })

  it("of permissions are held by an owner whole, by an admin but for the owner's own, and never widened by a member", () => {
    const all = catalogue.map(({ permission }) => permission)
    expect(new Set(all).size).toBe(all.length)
    expect(builtInRoles.owner).toEqual(all)
    expect(all.filter((permission) => !builtInRoles.admin.includes(permission))).toEqual([
      "organizations:manage",
      "sessions:mint"
    ])
    const held: ReadonlyArray<string> = builtInRoles.member
    expect(held.filter((permission) => /:manage$|^(mcp|sessions|audit|analytics|access):/.test(permission))).toEqual([])
  })

  it("have no member that is optional and null at once by accident", () => {
    expect(schema.filter((text) => /Schema\.optional\(/.test(text))).toEqual([])
  })
})

describe("the size of a request body", () => {
  /** Members of a body that have no maximum: lists without a length, and free texts. */
  const unbounded = (schema: Json, path: string, above: ReadonlySet<string>): ReadonlyArray<string> => {
    const reference = schema["$ref"]
    if (typeof reference === "string") {
      const target = document.components.schemas[reference.split("/").at(-1) ?? ""]
      return above.has(reference) || target === undefined ? [] : unbounded(target, path, new Set([...above, reference]))
    }
    const inner = (value: unknown, name: string) =>
      typeof value === "object" && value !== null ? unbounded(value as Json, `${path}${name}`, above) : []
    const isFree =
      schema["type"] === "string" &&
      !["maxLength", "enum", "format"].some((bound) => bound in schema) &&
      !(typeof schema["pattern"] === "string" && !schema["pattern"].startsWith("^[^"))
    return [
      ...(schema["type"] === "array" && !("maxItems" in schema) ? [`${path} (list)`] : []),
      ...(isFree ? [`${path} (text)`] : []),
      ...inner(schema["items"], "[]"),
      ...inner(schema["additionalProperties"], ".*"),
      ...Object.entries((schema["properties"] ?? {}) as Json).flatMap(([name, value]) => inner(value, `.${name}`)),
      ...["anyOf", "oneOf", "allOf"].flatMap((name) =>
        ((schema[name] ?? []) as ReadonlyArray<unknown>).flatMap((value) => inner(value, ""))
      )
    ]
  }

  it("is bounded in every list and every text", () => {
    const found = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) =>
        Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
          unbounded(schema, (operation as unknown as { operationId: string }).operationId, new Set())
        )
      )
    )
    expect(found).toEqual([])
    expect(
      unbounded({ type: "object", properties: { a: { type: "array", items: { type: "string" } } } }, "x", new Set())
    ).toEqual(["x.a (list)", "x.a[] (text)"])
  })
})
