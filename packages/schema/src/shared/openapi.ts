/**
 * Makes the OpenAPI document exact. The document that the framework derives contains less than the contract in some
 * places (integers in a query are strings, request bodies look closed) and more in others (every error of every
 * middleware on every operation).
 */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { auditActionOf } from "./audit-actions.ts"
import * as Auth from "./auth.ts"
import { deprecatedFields, furtherTags, header, headerAt, headers, successText } from "./openapi-headers.ts"
import { ScimError, scimMediaType } from "./scim-error.ts"

type Kind = Auth.Access["kind"]
type JsonSchema = Record<string, unknown>
type Components = Record<string, JsonSchema>

const inOrganization: ReadonlySet<Kind> = new Set([
  "member",
  "session",
  "permission",
  "owner",
  "worker",
  "scim",
  "memberOrWorker",
  "sessionOrWorker",
  "permissionOrPlatform"
])
const withoutCredential: ReadonlySet<Kind> = new Set(["public", "signature", "state"])

const security: { readonly [K in Kind]: ReadonlyArray<"session" | "apiKey" | "worker" | "scim"> } = {
  public: [],
  signature: [],
  state: [],
  user: ["session"],
  member: ["session", "apiKey"],
  session: ["session"],
  permission: ["session", "apiKey"],
  owner: ["session"],
  worker: ["worker"],
  scim: ["scim"],
  platform: ["session"],
  memberOrWorker: ["session", "apiKey", "worker"],
  sessionOrWorker: ["session", "worker"],
  permissionOrPlatform: ["session", "apiKey"]
}

const schemes: { readonly [name: string]: OpenApi.OpenAPISecurityScheme } = {
  session: { type: "http", scheme: "bearer", description: "A session token." },
  apiKey: { type: "apiKey", name: "x-api-key", in: "header", description: "An API key of the organization." },
  worker: { type: "http", scheme: "bearer", description: "A worker token." },
  scim: { type: "http", scheme: "bearer", description: "A SCIM token." }
}

/** The facts that determine the shared errors and headers of an operation. */
const factsOf = (endpoint: HttpApiEndpoint.Top, annotations: Context.Context<never>) => {
  const access = Context.getOrUndefined(annotations, Auth.AccessKind) ?? Auth.anyone
  const versioned = Context.getOrUndefined(annotations, Auth.Versioned)
  const idempotency = Context.getOrUndefined(annotations, Auth.Idempotent) ?? "none"
  return {
    access,
    plan: Context.getOrUndefined(annotations, Auth.RequiresPlan),
    audited: Context.getOrUndefined(annotations, Auth.Audited),
    /** The operation requires an organization. */
    inOrganization: inOrganization.has(access.kind),
    /** The operation supports an `Idempotency-Key`. */
    supportsIdempotencyKey: endpoint.method === "POST" && idempotency !== "none",
    storesOnlyFact: endpoint.method === "POST" && idempotency === "fact",
    versionedRead: versioned === true && endpoint.method === "GET",
    matchedRead: versioned === "match",
    versionedWrite: versioned === true && endpoint.method !== "GET" && endpoint.method !== "POST",
    hasBody: endpoint.payload.size > 0,
    validated: endpoint.payload.size > 0 || endpoint.params !== undefined || endpoint.query !== undefined
  }
}
type Facts = ReturnType<typeof factsOf>

/** When an error that every operation inherits can occur. Errors that are not listed can always occur. */
const shared: { readonly [identifier: string]: (facts: Facts) => boolean } = {
  // Also for operations without input: a request with two credentials is rejected.
  InvalidRequest: (facts) =>
    facts.validated || facts.supportsIdempotencyKey || !withoutCredential.has(facts.access.kind),
  Unauthorized: (facts) => !withoutCredential.has(facts.access.kind),
  PlanRequired: (facts) => facts.plan !== undefined,
  Forbidden: (facts) => !withoutCredential.has(facts.access.kind),
  OrganizationNotFound: (facts) => facts.inOrganization,
  IdempotencyKeyInUse: (facts) => facts.supportsIdempotencyKey,
  IdempotencyKeyReused: (facts) => facts.supportsIdempotencyKey,
  IdempotencyKeyCompleted: (facts) => facts.storesOnlyFact,
  PreconditionFailed: (facts) => facts.versionedWrite,
  PayloadTooLarge: (facts) => facts.hasBody
}

/**
 * Whether an operation can return an error: its own errors, and the shared ones that its metadata allows.
 */
export const canHappen = (endpoint: HttpApiEndpoint.Top, annotations: Context.Context<never>) => {
  const facts = factsOf(endpoint, annotations)
  const own = new Set([...endpoint.error].map((schema) => SchemaAST.resolveIdentifier(schema.ast)))
  return (error: Schema.Top): boolean => {
    const identifier = SchemaAST.resolveIdentifier(error.ast)
    if (identifier === undefined || own.has(identifier)) return true
    return shared[identifier]?.(facts) ?? true
  }
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Rewrites a schema from the leaves up. */
const rewrite = (schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema => {
  const inside = (value: unknown): unknown => (isObject(value) ? rewrite(value, change) : value)
  const out: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" && isObject(value)) {
      out[key] = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inside(member)]))
    } else if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(key) && Array.isArray(value)) {
      out[key] = value.map(inside)
    } else if (["items", "additionalProperties", "propertyNames", "not"].includes(key)) {
      out[key] = inside(value)
    } else {
      out[key] = value
    }
  }
  return change(out)
}

/**
 * The framework writes checks as an `allOf` of plain constraints, which is equivalent to placing them in the schema.
 */
const flatten = (schema: JsonSchema): JsonSchema => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const parts: Array<unknown> = []
  const out: JsonSchema = rest
  for (const part of allOf as ReadonlyArray<unknown>) {
    if (
      isObject(part) &&
      !("$ref" in part) &&
      Object.keys(part).every((key) => !(key in out) || key === "description")
    ) {
      Object.assign(out, part)
    } else {
      parts.push(part)
    }
  }
  return parts.length === 0 ? out : { ...out, allOf: parts }
}

/** Code distinguishes errors by tag, clients by `error`. The tag is not part of the response. */
const withoutTag = (schema: JsonSchema): JsonSchema => {
  if (!isObject(schema["properties"]) || !("_tag" in schema["properties"])) return schema
  const { _tag, ...properties } = schema["properties"]
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((name) => name !== "_tag") : []
  const { required: _, ...rest } = schema
  return { ...rest, properties, ...(required.length === 0 ? {} : { required }) }
}

/** The API ignores unknown fields of a request. */
const open = (schema: JsonSchema): JsonSchema => {
  if (schema["additionalProperties"] !== false) return schema
  const { additionalProperties: _, ...rest } = schema
  return rest
}

const prefix = "#/components/schemas/"
const refOf = (schema: JsonSchema): string | undefined =>
  typeof schema["$ref"] === "string" && schema["$ref"].startsWith(prefix)
    ? schema["$ref"].slice(prefix.length)
    : undefined

/** Every component that a schema refers to. */
const reach = (schema: JsonSchema, components: Components, into: Set<string>): Set<string> => {
  rewrite(schema, (part) => {
    const name = refOf(part)
    const target = name === undefined ? undefined : components[name]
    if (name !== undefined && target !== undefined && !into.has(name)) {
      into.add(name)
      reach(target, components, into)
    }
    return part
  })
  return into
}

const plain = (schema: JsonSchema) => JSON.stringify({ ...schema, description: undefined })

/**
 * Removes the framework's suffixes from names: `Encoded` of error classes, and `_1` of a schema that has another
 * description where it is used. That description stays beside the `$ref`.
 */
const tidyNames = (components: Components, document: unknown) => {
  const names = new Map<string, string>()
  const tidyComponents: Components = {}
  // If a schema has several descriptions, the one used most becomes its own.
  const uses = new Map<string, number>()
  for (const [, name = ""] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    uses.set(name, (uses.get(name) ?? 0) + 1)
  }
  const entries = Object.entries(components).map(([name, schema]) => {
    const [, base = name] = /^(.+?)(?:Encoded)?(?:_\d+)?$/.exec(name) ?? []
    return { name, base, uses: uses.get(name) ?? 0, schema }
  })
  for (const { name, base, schema } of entries.sort((a, b) => b.uses - a.uses)) {
    const existing = tidyComponents[base]
    const target = existing === undefined || plain(existing) === plain(schema) ? base : name.replace("Encoded", "")
    names.set(name, target)
    tidyComponents[target] ??= schema
  }
  const rename = (schema: JsonSchema): JsonSchema => {
    const name = refOf(schema)
    if (name === undefined) return schema
    const renamed = names.get(name) ?? name
    const description = components[name]?.["description"]
    const differs = description !== undefined && description !== tidyComponents[renamed]?.["description"]
    return { ...schema, $ref: `${prefix}${renamed}`, ...(differs ? { description } : {}) }
  }
  return { components: tidyComponents, rename }
}

/** The value of `error` in an error body. */
const codeOf = (schema: Schema.Top): string => {
  const encoded = SchemaAST.toEncoded(schema.ast)
  const property = SchemaAST.isObjects(encoded)
    ? encoded.propertySignatures.find((property) => property.name === "error")
    : undefined
  return property !== undefined && SchemaAST.isLiteral(property.type)
    ? `\`${String(property.type.literal)}\``
    : "Not allowed; see `reason`"
}

const headerParameters = (facts: Facts): Array<OpenApi.OpenAPISpecParameter> => [
  ...(facts.inOrganization
    ? [
        header(
          "x-organization-id",
          255,
          "The organization to use, if the user belongs to more than one. An API key belongs to exactly one organization."
        )
      ]
    : []),
  ...(facts.supportsIdempotencyKey
    ? [
        header(
          "Idempotency-Key",
          255,
          "A unique key for the request, valid for 24 hours. A retry with the same key does not repeat the change."
        )
      ]
    : []),
  ...(facts.versionedRead
    ? [header("If-None-Match", 255, "The `ETag` that you have. Returns 304 if it is still current.")]
    : []),
  ...(facts.versionedWrite
    ? [header("If-Match", 255, "The `ETag` that you read. Returns 412 if the resource has changed since.")]
    : [])
]

/** Parameters arrive as strings. The type side of the same schema has their type. */
const parameterSchemas = (schema: Schema.Top | undefined): ReadonlyMap<string, JsonSchema> => {
  const ast = schema === undefined ? undefined : SchemaAST.toType(schema.ast)
  if (ast === undefined || !SchemaAST.isObjects(ast)) return new Map()
  return new Map(
    ast.propertySignatures
      .filter((property) => SchemaAST.isNumber(property.type))
      .map((property) => [
        String(property.name),
        Schema.toJsonSchemaDocument(Schema.make<Schema.Top>(property.type)).schema
      ])
  )
}

const describedParameter = (
  parameter: OpenApi.OpenAPISpecParameter,
  components: Components
): OpenApi.OpenAPISpecParameter => {
  const { description, ...schema } = parameter.schema as JsonSchema
  const target = components[refOf(schema) ?? ""]
  const text = description ?? target?.["description"]
  return { ...parameter, ...(typeof text === "string" ? { description: text } : {}), schema }
}

const descriptionOf = (operation: OpenApi.OpenAPISpecOperation, facts: Facts): string =>
  [
    operation.description,
    facts.access.kind === "permission" ? `Requires the ${Auth.permissionsText(facts.access)}.` : undefined,
    facts.access.kind === "permissionOrPlatform"
      ? `Requires the permission \`${facts.access.permission}\`. For platform administrators who do not specify an organization, it covers all organizations.`
      : undefined,
    Auth.callersOf[facts.access.kind],
    facts.plan === undefined ? undefined : `Requires a plan with \`${facts.plan}\`.`,
    facts.audited === undefined ? undefined : `Audited as \`${auditActionOf(facts.audited)}\`.`
  ]
    .filter((sentence) => sentence !== undefined)
    .join(" ")

type Responses = OpenApi.OpenAPISpecResponses
type ByStatus = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

const union = (parts: ReadonlyArray<JsonSchema>): JsonSchema => {
  const [only, ...others] = parts
  return only !== undefined && others.length === 0 ? only : { anyOf: parts }
}

const partsOf = (schema: JsonSchema | undefined): ReadonlyArray<JsonSchema> => {
  if (schema === undefined) return []
  return Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as ReadonlyArray<JsonSchema>) : [schema]
}

const refTo = (schema: Schema.Top): JsonSchema => ({
  $ref: `${prefix}${SchemaAST.resolveIdentifier(schema.ast) ?? ""}`
})

/** HTML pages are the only text responses without an identifier. */
const isPage = (schema: Schema.Top): boolean => SchemaAST.resolveIdentifier(schema.ast) === undefined

const responsesOf = (
  operation: OpenApi.OpenAPISpecOperation,
  facts: Facts,
  successes: ByStatus,
  errors: ByStatus,
  happens: (error: Schema.Top) => boolean
): Responses => {
  const out: Responses = {}
  const put = (
    status: number,
    description: string,
    content: JsonSchema | undefined,
    own: ReadonlyArray<keyof typeof headers>
  ) => {
    out[status] = {
      description,
      headers: Object.fromEntries((["x-request-id", ...own] as const).map((name) => [name, headerAt(name)])),
      ...(content === undefined ? {} : { content: { "application/json": { schema: content } } })
    }
  }
  // A stream is not among the success schemas. Its content is taken from the framework's document.
  const streamed = successes.size === 0 ? operation.responses[200]?.content : undefined
  if (streamed !== undefined) {
    put(200, "A stream.", undefined, [])
    const content: Record<string, unknown> = {}
    for (const type of Object.keys(streamed)) content[type] = { schema: { type: "string" } }
    Object.assign(out[200] ?? {}, { content })
  }
  for (const [status, schemas] of successes) {
    put(status, successText[status] ?? "Success.", undefined, [
      ...(facts.versionedRead || facts.matchedRead || (facts.versionedWrite && status === 200)
        ? (["etag"] as const)
        : []),
      ...(facts.supportsIdempotencyKey && !facts.storesOnlyFact ? (["idempotent-replayed"] as const) : [])
    ])
    const content = operation.responses[status]?.content
    const response = out[status]
    if (response === undefined) continue
    if (status >= 400 && schemas.every(isPage)) {
      put(status, "An HTML page with the reason for the failure.", undefined, [])
      Object.assign(out[status] ?? {}, { content: { "text/html": { schema: { type: "string" } } } })
    } else if (status >= 400) put(status, "A check failed.", union(schemas.map(refTo)), ["retry-after"])
    else if (content !== undefined) response.content = content
  }
  if (facts.versionedRead) put(304, successText[304] ?? "", undefined, ["etag"])
  const headersOf = (status: number): ReadonlyArray<keyof typeof headers> => [
    ...(status === 401 ? (["www-authenticate"] as const) : []),
    ...(status === 429 ? (["retry-after", "ratelimit", "ratelimit-policy"] as const) : []),
    ...(status === 503 ? (["retry-after"] as const) : [])
  ]
  if (facts.access.kind === "scim") {
    // Every error of these operations is a SCIM error.
    for (const [status, all] of errors) {
      if (!all.some(happens)) continue
      put(status, "An error; see `detail`.", undefined, headersOf(status))
      Object.assign(out[status] ?? {}, { content: { [scimMediaType]: { schema: refTo(ScimError) } } })
    }
    return out
  }
  for (const [status, all] of errors) {
    const schemas = all.filter(happens)
    if (schemas.length === 0) continue
    // The framework printed the same schemas in the same order, under its own names.
    const printed = partsOf(operation.responses[status]?.content?.["application/json"]?.schema)
    const errorSchemas =
      printed.length === all.length ? printed.filter((_, index) => happens(all[index] ?? Schema.Unknown)) : printed
    // The framework omits a response that is declared as a success and has an error status.
    const parts = [...(successes.get(status) ?? []).map(refTo), ...errorSchemas]
    put(status, `${[...new Set(schemas.map(codeOf))].join(", ")}.`, union(parts), headersOf(status))
  }
  return out
}

/** Items that the server validates one by one: an invalid item is dropped, and the request still succeeds. */
const itemsValidatedSeparately = `${prefix}TelemetryEvent`
const allowAnyItem = (schema: JsonSchema): JsonSchema => {
  const { items } = schema
  if (!isObject(items) || items["$ref"] !== itemsValidatedSeparately) return schema
  return { ...schema, items: { anyOf: [items, { description: "Any other value is dropped and counted." }] } }
}

/** Makes the OpenAPI document of an API match the contract: the `OpenApi.Transform` of `OrgplaneApi`. */
export const exact =
  <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  (document: Record<string, unknown>): Record<string, unknown> => {
    const spec = document as unknown as OpenApi.OpenAPISpec
    const components = spec.components.schemas
    const operations: Array<OpenApi.OpenAPISpecOperation> = []
    const used = new Set<string>()

    HttpApi.reflect(api, {
      onGroup() {},
      onEndpoint({ endpoint, mergedAnnotations, successes, errors }) {
        const path = spec.paths[endpoint.path.replace(/:(\w+)/g, "{$1}")]
        const operation = path?.[endpoint.method.toLowerCase() as OpenApi.OpenAPISpecMethodName]
        if (operation === undefined) return
        const facts = factsOf(endpoint, mergedAnnotations)
        const schemas = { path: parameterSchemas(endpoint.params), query: parameterSchemas(endpoint.query) }
        operation.parameters = [
          ...operation.parameters.map((parameter) => {
            const schema =
              parameter.in === "path" || parameter.in === "query"
                ? schemas[parameter.in].get(parameter.name)
                : undefined
            return schema === undefined ? parameter : { ...parameter, schema }
          }),
          ...headerParameters(facts)
        ]
        operation.security = security[facts.access.kind].map((name) => {
          used.add(name)
          return { [name]: [] }
        })
        const description = descriptionOf(operation, facts)
        if (description !== "") operation.description = description
        operation.responses = responsesOf(operation, facts, successes, errors, canHappen(endpoint, mergedAnnotations))
        const deprecation = Context.getOrUndefined(mergedAnnotations, Auth.Deprecated)
        if (deprecation !== undefined) Object.assign(operation, deprecatedFields(operation.description, deprecation))
        const tag = Context.getOrUndefined(mergedAnnotations, Auth.Tag)
        if (tag !== undefined) operation.tags = [tag]
        operations.push(operation)
      }
    })
    spec.tags.splice(spec.tags.findIndex(({ name }) => name === "Workers") + 1, 0, ...furtherTags)

    // A schema that is part of a request allows unknown fields wherever it is used.
    const requests = new Set<string>()
    for (const operation of operations) {
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        reach(media.schema, components, requests)
        media.schema = rewrite(media.schema, open)
      }
    }
    for (const [name, schema] of Object.entries(components)) {
      const tidy = rewrite(schema, (part) => flatten(withoutTag(part)))
      components[name] = requests.has(name) ? rewrite(tidy, open) : tidy
    }

    const { components: tidyComponents, rename } = tidyNames(components, spec)
    const tidy = (schema: JsonSchema) => rewrite(schema, (part) => rename(flatten(withoutTag(part))))
    const reached = new Set<string>()
    const renamed = Object.fromEntries(
      Object.entries(tidyComponents).map(([name, schema]) => [
        name,
        rewrite(schema, (part) => allowAnyItem(rename(part)))
      ])
    )
    const place = (schema: JsonSchema) => {
      const placed = tidy(schema)
      reach(placed, renamed, reached)
      return placed
    }
    for (const operation of operations) {
      operation.parameters = operation.parameters.map((parameter) =>
        describedParameter({ ...parameter, schema: place(parameter.schema as JsonSchema) }, renamed)
      )
      const media = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
        Object.values(part?.content ?? {})
      )
      for (const part of media) part.schema = place(part.schema)
    }

    spec.servers ??= [{ url: "/", description: "The server that returned this document." }]
    spec.security = []
    spec.components.schemas = Object.fromEntries(
      Object.entries(renamed)
        .filter(([name]) => reached.has(name))
        .sort(([a], [b]) => (a < b ? -1 : 1))
    )
    spec.components.securitySchemes = Object.fromEntries(
      Object.entries(schemes).filter(([name]) => name === "session" || name === "apiKey" || used.has(name))
    )
    return { ...spec, components: { ...spec.components, headers } }
  }
