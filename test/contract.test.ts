/** Compares the specification's tables, as data, with the contract, and checks the metadata of every operation. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { builtInRoles, catalog } from "../packages/schema/src/shared/permissions.ts"
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
const operationsById = new Map(operations.map((operation) => [operation.operationId, operation]))

/** A schema with references resolved and without descriptions. */
const flat = (schema: Json): Json => {
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined
  const { $ref: _, description: __, ...own } = schema
  const target = name === undefined ? own : { ...document.components.schemas[name], ...own }
  const { description: ___, allOf, ...rest } = target
  return Object.assign({}, rest, ...((allOf ?? []) as ReadonlyArray<Json>).map(flat)) as Json
}
const membersOf = (schema: Json): Record<string, Json> => (flat(schema)["properties"] ?? {}) as Record<string, Json>
const at = (method: string, path: string): Operation => {
  const match = document.paths[path]?.[method.toLowerCase()]
  if (match === undefined) throw new Error(`There is no ${method} ${path}.`)
  return match
}
const responseSchema = (operation: Operation, status: number): Json =>
  operation.responses[status]?.content?.["application/json"]?.schema ?? {}

const objectTypes = ["skill", "agent", "command", "tool", "mcp", "hook", "context", "custom"]
const bounded = (minLength: number, maxLength: number) => ({ type: "string", minLength, maxLength })
const integer = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum })
const id = (prefix: string) => ({ type: "string", pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$` })
const page = { cursor: bounded(1, 255), limit: integer(1, 100) }

interface SpecifiedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly params: Record<string, Json>
  readonly query?: Record<string, Json>
  /** Required query parameters. */
  readonly requiredQuery?: ReadonlyArray<string>
  /** Optional query parameters in addition to the specification's. */
  readonly extraQuery?: ReadonlyArray<string>
  readonly body?: Record<string, Json>
  readonly required?: ReadonlyArray<string>
  readonly status: number
  /** Required fields of the response. */
  readonly response: ReadonlyArray<string>
  /** Optional fields of the response. */
  readonly optionalResponse?: ReadonlyArray<string>
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

const specified: ReadonlyArray<SpecifiedOperation> = [
  {
    operation: "admin.metrics",
    method: "GET",
    path: "/v1/admin/metrics",
    params: {},
    status: 200,
    response: ["summary", "generatedAt"],
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
    response: ["desktopPolicy"],
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
    response: ["desktopPolicy"],
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
    response: ["referenceId", "durationMs", "result", "inspection"],
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
    // `attempts` is the structured form of `attempted`.
    response: ["resolution", "attempted", "attempts", "reason"],
    optionalResponse: ["preset", "match"],
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
    response: ["items", "nextCursor"],
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
    response: ["ok", "item"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "connectors.enable",
    method: "POST",
    path: `${anInstance}/enable`,
    params: instance,
    status: 200,
    response: ["ok", "item"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "connectors.remove",
    method: "POST",
    path: `${anInstance}/remove`,
    params: instance,
    status: 200,
    response: ["ok", "item"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "connectors.discovery",
    method: "GET",
    path: `${anInstance}/discovery`,
    params: instance,
    extraQuery: ["connectorTargetId"],
    status: 200,
    response: ["ok", "item"],
    errors: [400, 401, 404]
  },
  {
    operation: "connectors.tree",
    method: "GET",
    path: `${anInstance}/discovery/tree`,
    params: instance,
    query: { cursor: bounded(1, 255), limit: integer(1, 500), prefix: bounded(1, 1024) },
    extraQuery: ["connectorTargetId"],
    status: 200,
    response: ["items", "nextCursor"],
    errors: [400, 401, 404]
  },
  {
    operation: "connectors.listAccess",
    method: "GET",
    path: `${anInstance}/access`,
    params: instance,
    query: page,
    status: 200,
    response: ["items", "nextCursor"],
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
    response: ["ok", "item"],
    errors: [400, 401, 403]
  },
  {
    operation: "configObjects.listAccess",
    method: "GET",
    path: "/v1/config-objects/{configObjectId}/access",
    params: { configObjectId: id("cob") },
    query: page,
    status: 200,
    response: ["items", "nextCursor"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "configObjects.revokeAccess",
    method: "DELETE",
    path: "/v1/config-objects/{configObjectId}/access/{grantId}",
    params: { configObjectId: id("cob"), grantId: id("coa") },
    status: 204,
    response: [],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "plugins.get",
    method: "GET",
    path: "/v1/plugins/{pluginId}",
    params: { pluginId: id("plg") },
    status: 200,
    response: ["item"],
    errors: [400, 401, 404]
  },
  {
    operation: "plugins.listObjects",
    method: "GET",
    path: "/v1/plugins/{pluginId}/config-objects",
    params: { pluginId: id("plg") },
    query: page,
    status: 200,
    response: ["items", "nextCursor"],
    errors: [400, 401, 404]
  },
  {
    operation: "marketplaces.listPlugins",
    method: "GET",
    path: "/v1/marketplaces/{marketplaceId}/plugins",
    params: { marketplaceId: id("mkt") },
    query: page,
    status: 200,
    response: ["items", "nextCursor"],
    errors: [400, 401, 404]
  },
  {
    operation: "marketplaces.resolved",
    method: "GET",
    path: "/v1/marketplaces/{marketplaceId}/resolved",
    params: { marketplaceId: id("mkt") },
    status: 200,
    response: ["ok", "item"],
    errors: [400, 401, 404]
  },
  {
    operation: "marketplaces.revokeAccess",
    method: "DELETE",
    path: "/v1/marketplaces/{marketplaceId}/access/{grantId}",
    params: { marketplaceId: id("mkt"), grantId: id("mag") },
    status: 204,
    response: [],
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
    response: ["ok", "draft"],
    errors: [400, 401, 403, 409, 502]
  },
  {
    operation: "capabilities.getMailMessage",
    method: "GET",
    path: "/v1/capabilities/suite-a/mail-message/{messageId}",
    params: { messageId: bounded(1, 1024) },
    status: 200,
    response: ["ok", "message"],
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
    response: ["ok", "eventId", "htmlLink", "summary", "start", "end", "meetLink"],
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
    response: ["memory"],
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
    requiredQuery: ["q"],
    status: 200,
    response: ["results"],
    errors: [400, 401, 403]
  },
  {
    operation: "ssoDomains.verify",
    method: "POST",
    path: "/v1/sso/verify-domain",
    params: {},
    status: 204,
    response: [],
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
    response: [],
    errors: [400, 401]
  },
  {
    operation: "workers.get",
    method: "GET",
    path: "/v1/workers/{id}",
    params: { id: bounded(1, 255) },
    status: 200,
    response: ["worker", "instance"],
    errors: [400, 401, 403, 404]
  },
  {
    operation: "workers.upgradeRuntime",
    method: "POST",
    path: "/v1/workers/{id}/runtime/upgrade",
    params: { id: bounded(1, 255) },
    // The runtime defines the fields of the body and of the response.
    body: {},
    required: [],
    status: 200,
    response: [],
    errors: [400, 401, 403, 404, 409, 502]
  },
  {
    operation: "webhooks.codehost",
    method: "POST",
    path: "/v1/webhooks/connectors/codehost",
    params: {},
    // The code host defines the payload; it is verified as bytes.
    body: {},
    required: [],
    status: 202,
    response: ["ok", "accepted", "deliveryId", "queued"],
    errors: [400, 401, 413, 503]
  }
]

describe.each(specified.map((operation) => [operation.operation, operation] as const))("%s", (name, expected) => {
  const operation = at(expected.method, expected.path)

  it("has the method and path of the specification, and is marked as specified", () => {
    expect(operationsById.get(name)).toMatchObject({ method: expected.method, specified: true })
    expect(operationsById.get(name)?.path.replace(/:(\w+)/g, "{$1}")).toBe(expected.path)
  })

  it("accepts the parameters and body of the specification, with their bounds", () => {
    const parameters = (place: string) =>
      Object.fromEntries(
        operation.parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, schema }) => [name, flat(schema)])
      )
    expect(parameters("path")).toEqual(expected.params)
    const query = parameters("query")
    expect(Object.keys(query).sort()).toEqual(
      [...Object.keys(expected.query ?? {}), ...(expected.extraQuery ?? [])].sort()
    )
    expect(query).toMatchObject(expected.query ?? {})
    expect(
      operation.parameters
        .filter((parameter) => parameter.required && parameter.in !== "header")
        .map(({ name }) => name)
    ).toEqual([...Object.keys(expected.params), ...(expected.requiredQuery ?? [])])
    const body = operation.requestBody?.content?.["application/json"]?.schema
    expect(body === undefined).toBe(expected.body === undefined)
    if (body === undefined) return
    expect(Object.keys(membersOf(body)).sort()).toEqual(Object.keys(expected.body ?? {}).sort())
    for (const [member, schema] of Object.entries(expected.body ?? {})) {
      expect(flat(membersOf(body)[member] ?? {}), member).toMatchObject(schema)
    }
    expect(flat(body)["required"] ?? []).toEqual(expected.required)
  })

  it("returns the responses of the specification", () => {
    expect(operation.responses).toHaveProperty(String(expected.status))
    const schema = responseSchema(operation, expected.status)
    expect(Object.keys(membersOf(schema)).sort()).toEqual(
      [...expected.response, ...(expected.optionalResponse ?? [])].sort()
    )
    if (expected.response.length > 0)
      expect((flat(schema)["required"] as ReadonlyArray<string>).toSorted()).toEqual([...expected.response].sort())
    expect(Object.keys(operation.responses).map(Number)).toEqual(expect.arrayContaining([...expected.errors]))
  })
})

/** Every field that the specification names. The contract can add fields, but must not make these optional. */
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

describe("records of the specification", () => {
  it.each(Object.entries(records))("%s has every specified field, and all fields are required", (name, members) => {
    const schema = document.components.schemas[name] ?? {}
    expect(Object.keys(membersOf(schema))).toEqual(expect.arrayContaining([...members]))
    // No field of a record is optional.
    expect((schema["required"] as ReadonlyArray<string>).toSorted()).toEqual(Object.keys(membersOf(schema)).sort())
    for (const [member, value] of Object.entries(membersOf(schema))) {
      if (member.endsWith("At")) expect(JSON.stringify(value), member).toContain("Timestamp")
    }
  })

  it("have the enumerations of the specification", () => {
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

  it("use identifiers with the prefixes of the specification, 30 characters long, 29 for members", () => {
    const lengths = { ctg: 30, cin: 30, cmp: 30, plg: 30, mkt: 30, cob: 30, coa: 30, mag: 30, om: 29 }
    const patterns = Object.values(document.components.schemas).map((schema) => String(schema["pattern"]))
    for (const [prefix, length] of Object.entries(lengths)) {
      expect(patterns).toContain(id(prefix).pattern)
      expect(new RegExp(id(prefix).pattern).test(`${prefix}_${"0".repeat(26)}`)).toBe(true)
      expect(prefix.length + 27).toBe(length)
    }
  })
})

/** The specification bounds these fields, which are nested in the body. */
it("accepts a config object's input with the fields that the specification names", () => {
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
  /** Reads whose parameters are secret or do not fit into a path; and events, which the ledger records. */
  const unaudited = [
    "access.explain",
    "access.impact",
    "audit.verify",
    "bootstrap.previewClaim",
    "invitations.preview",
    "connectors.plan",
    "connectors.planRollback",
    "mcpConnections.resolve",
    "telemetry.ingest",
    // Reports of a worker, many times an hour; the worker's row shows them.
    "workers.heartbeat",
    "workers.reportActivity",
    // The response is the only result; nothing is stored.
    "llmProviders.test",
    "desktopPolicies.simulate",
    "assignments.simulate",
    "configuration.plan",
    "rollouts.preview",
    // Reports of devices; the device shows them.
    "delivery.report",
    "templates.preview",
    "scimProtocol.searchUsers",
    "scimProtocol.searchGroups",
    "scimProtocol.search"
  ]

  it("has a tag of the specification, or of a group beside them", () => {
    const tags = [
      ...[
        "System",
        "Organizations",
        "Invitations",
        "API Keys",
        "SCIM",
        "SSO",
        "Members",
        "Roles",
        "Teams",
        "Templates"
      ],
      ...["LLM Providers", "Workers", "Worker Runtime", "Worker Activity", "Telemetry", "Admin", "Users", "Bootstrap"]
    ]
    const named = new Set(operations.map(({ tag }) => tag))
    expect(tags.filter((tag) => !named.has(tag))).toEqual([])
    const tagOf = (id: string) => operations.find(({ operationId }) => operationId === id)?.tag
    expect([tagOf("workers.upgradeRuntime"), tagOf("workers.listActivity"), tagOf("ssoDomains.verify")]).toEqual([
      "Worker Runtime",
      "Worker Activity",
      "SSO"
    ])
  })

  it("has a unique ID, method and path", () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    expect(new Set(operations.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, "*")}`)).size).toBe(
      operations.length
    )
  })

  it.each(each)("%s has a path below /v1, a summary and a known permission", (_, operation) => {
    expect(operation.path).toMatch(/^\/v1\/[a-z0-9./:A-Z-]+$/)
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    const { access } = operation
    if (access.kind === "permission") expect(catalog.map(({ permission }) => permission)).toContain(access.permission)
    // Members without a custom role can call it.
    if (access.kind === "permission") expect(builtInRoles.owner).toContain(access.permission)
  })

  it.each(each)("%s is audited exactly when it changes something", (_, operation) => {
    // A browser returns by GET, and the outcome of a sign-in is audited.
    const isCallback = operation.operationId === "sso.oidcCallback"
    const changes = (operation.method !== "GET" || isCallback) && !unaudited.includes(operation.operationId)
    expect(operation.audited !== undefined).toBe(changes)
    if (operation.audited !== undefined) expect(operation.audited).toMatch(/^[a-zA-Z_]+\.[a-z_]+$/)
  })

  it.each(each)("%s supports an idempotency key if a repeated request could do harm", (_, operation) => {
    // A repeated request of an identity provider finds the change done.
    const open = ["public", "signature", "state", "scim"].includes(operation.access.kind)
    if (operation.method !== "POST" || open) expect(operation.idempotency).toBe("none")
    // Claims and invitations work once, so they need no key.
    else if (/^(bootstrap\.acceptClaim|invitations\.accept)$/.test(operation.operationId)) return
    else if (operation.holdsSecret) expect(operation.idempotency).toBe("fact")
    // Sends another test each time.
    else if (/^(eventStreams|webhookEndpoints)\.test$/.test(operation.operationId))
      expect(operation.idempotency).toBe("none")
    // Checks the records again each time.
    else if (operation.operationId === "ssoDomains.verify") expect(operation.idempotency).toBe("none")
    else if (unaudited.includes(operation.operationId)) expect(operation.idempotency).toBe("none")
    else expect(operation.idempotency).toBe("response")
  })

  it.each(each)("%s returns a page exactly when it is a list", (_, operation) => {
    // SCIM has its own pagination.
    if (operation.access.kind === "scim") return expect(operation.paged).toBe(false)
    const isNamedList = /^(list|tree$|library$|organizations$|checkpoints$|dimensions$|ledger$|log$)/.test(
      operation.name
    )
    const isList = isNamedList || ["assignments.effective", "assignments.own"].includes(operation.operationId)
    expect(operation.paged).toBe(isList)
    if (!isList) return
    const names = operation.query.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["cursor", "limit"]))
    // A list can have additional fields after those of the page.
    expect(operation.success[0]?.members.map(({ name }) => name).slice(0, 2)).toEqual(["items", "nextCursor"])
    expect(operation.query.find(({ name }) => name === "limit")).toMatchObject({
      minimum: 1,
      maximum: operation.name === "tree" ? 500 : 100
    })
  })

  /** Statuses of operations that fit no category below. */
  const statusesOf: Readonly<Record<string, ReadonlyArray<number>>> = {
    "configurationRuns.approve": [202],
    "configurationSource.run": [202],
    "system.ready": [200, 503],
    "ssoDomains.verify": [204],
    "telemetry.ingest": [204],
    "webhooks.codehost": [200, 202],
    "workers.reportActivity": [201],
    "scimProtocol.createUser": [201],
    "scimProtocol.createGroup": [201],
    // The body can contain thousands of members, so it is returned on request only.
    "scimProtocol.updateGroup": [200, 204],
    // The runtime's status is returned.
    "workers.upgradeRuntime": [200, 201, 202],
    // The HTML page of a failed sign-in has the status of its error.
    "mcpConnections.callback": [200, 303, 403, 410],
    "capabilities.callback": [200, 303, 403, 410],
    "sso.oidcCallback": [200, 303, 403, 410],
    "sso.samlAcs": [200, 303, 403, 410],
    "sso.complete": [201]
  }
  /** Operations that create a row or return the existing one. */
  const upserts = ["createVersion", "restoreVersion", "attachPlugin", "addObject", "addPlugin", "completeInstall"]
  const creates = [
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

  it.each(each)("%s succeeds with the status of its category", (_, operation) => {
    const statuses = operation.success.map(({ status }) => status)
    const { method, name, operationId } = operation
    const isOneOf = (names: ReadonlyArray<string>) => method === "POST" && names.includes(name)
    const expected =
      statusesOf[operationId] ??
      (method === "DELETE"
        ? [204]
        : name.startsWith("grant") || isOneOf(upserts)
          ? [200, 201]
          : isOneOf(creates)
            ? [201]
            : isOneOf(queues)
              ? [202]
              : [200])
    expect([...new Set(statuses)].sort()).toEqual(expected)
  })
})

it("marks exactly the operations of the specification as specified", () => {
  const marked = operations.filter(({ specified }) => specified).map(({ operationId }) => operationId)
  expect(marked.sort()).toEqual(specified.map(({ operation }) => operation).sort())
})

describe("closed lists", () => {
  const sources = (folder: string): ReadonlyArray<string> =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  const schema = sources(join(root, "packages/schema/src"))
  const server = sources(join(root, "packages/server/src"))

  it("contain the reasons and codes of all errors, each once", () => {
    const declared = operations.flatMap(({ errors }) => errors)
    const notConnectedCodes = new Set(["connection_not_ready", "needs_connection"])
    const reasons = new Set<string>(forbiddenReasons)
    const codes = new Set<string>(conflictCodes)
    expect(reasons.size).toBe(forbiddenReasons.length)
    expect(codes.size).toBe(conflictCodes.length)
    for (const { code, reasons: own, status } of declared) {
      const isListed = status === 409 && code !== undefined && !notConnectedCodes.has(code)
      if (isListed) expect(codes).toContain(code)
      for (const reason of own) expect(reasons).toContain(reason)
    }
    // Every reason in the server's code is listed.
    const usedReasons = server.flatMap((text) =>
      [...text.matchAll(/reason: "(\w+)"/g)].map(([, reason = ""]) => reason)
    )
    expect(usedReasons.length).toBeGreaterThan(0)
    expect(usedReasons.filter((reason) => !reasons.has(reason))).toEqual([])
    const usedCodes = schema.flatMap((text) =>
      [...text.matchAll(/\bconflict(?:With)?\(\s*"(\w+)"/g)].map(([, code = ""]) => code)
    )
    expect(usedCodes.length).toBeGreaterThan(0)
    expect(usedCodes.filter((code) => !codes.has(code))).toEqual([])
  })

  it("give owners all permissions, admins all but the owner-only ones, and members none to manage", () => {
    const all = catalog.map(({ permission }) => permission)
    expect(new Set(all).size).toBe(all.length)
    expect(builtInRoles.owner).toEqual(all)
    expect(all.filter((permission) => !builtInRoles.admin.includes(permission))).toEqual([
      "organizations:manage",
      "sessions:mint"
    ])
    const memberPermissions: ReadonlyArray<string> = builtInRoles.member
    expect(
      memberPermissions.filter((permission) => /:manage$|^(mcp|sessions|audit|analytics|access):/.test(permission))
    ).toEqual([])
  })

  it("never use Schema.optional, which would make a field optional and nullable", () => {
    expect(schema.filter((text) => /Schema\.optional\(/.test(text))).toEqual([])
  })
})

describe("the size of a request body", () => {
  /** Fields of a body without a maximum: lists without a length, and free texts. */
  const unbounded = (schema: Json, path: string, above: ReadonlySet<string>): ReadonlyArray<string> => {
    const reference = schema["$ref"]
    if (typeof reference === "string") {
      const target = document.components.schemas[reference.split("/").at(-1) ?? ""]
      return above.has(reference) || target === undefined ? [] : unbounded(target, path, new Set([...above, reference]))
    }
    const inner = (value: unknown, name: string) =>
      typeof value === "object" && value !== null ? unbounded(value as Json, `${path}${name}`, above) : []
    const isUnboundedText =
      schema["type"] === "string" &&
      !["maxLength", "enum", "format"].some((bound) => bound in schema) &&
      !(typeof schema["pattern"] === "string" && !schema["pattern"].startsWith("^[^"))
    return [
      ...(schema["type"] === "array" && !("maxItems" in schema) ? [`${path} (list)`] : []),
      ...(isUnboundedText ? [`${path} (text)`] : []),
      ...inner(schema["items"], "[]"),
      ...inner(schema["additionalProperties"], ".*"),
      ...Object.entries((schema["properties"] ?? {}) as Json).flatMap(([name, value]) => inner(value, `.${name}`)),
      ...["anyOf", "oneOf", "allOf"].flatMap((name) =>
        ((schema[name] ?? []) as ReadonlyArray<unknown>).flatMap((value) => inner(value, ""))
      )
    ]
  }

  it("is bounded, because every list and every text has a maximum", () => {
    const fields = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) =>
        Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
          unbounded(schema, (operation as unknown as { operationId: string }).operationId, new Set())
        )
      )
    )
    expect(fields).toEqual([])
    expect(
      unbounded({ type: "object", properties: { a: { type: "array", items: { type: "string" } } } }, "x", new Set())
    ).toEqual(["x.a (list)", "x.a[] (text)"])
  })
})
