/**
 * Checks every response in the server's tests against the contract: the OpenAPI document declares the status for the
 * operation, and the content type and the body for that status; a public schema decodes the body; a request ID is present.
 */
import { OrgplaneApi } from "../packages/schema/src/api.ts"
import { MisdirectedRequest, RouteNotFound, Unavailable } from "../packages/schema/src/shared/errors.ts"
import { ScimError, scimMediaType } from "../packages/schema/src/shared/scim-error.ts"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as formats from "ajv-formats"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

interface Declared {
  readonly content?: Readonly<Record<string, { readonly schema: Record<string, unknown> }>>
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly $ref?: string }>>
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly pattern: RegExp
  readonly responses: Readonly<Record<string, Declared>>
  readonly schemas: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

interface Document {
  readonly components: { readonly schemas: Record<string, unknown> }
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly responses: Readonly<Record<string, Declared>> }>>
    >
  >
}

const document = OpenApi.fromApi(OrgplaneApi) as unknown as Document

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
formats.default.default(ajv)
ajv.addKeyword("components").addSchema({ $id: "document", components: document.components })

const operationsOf = (): ReadonlyArray<Operation> => {
  const schemas = new Map<string, Map<number, Array<Schema.Top>>>()
  HttpApi.reflect(OrgplaneApi, {
    onGroup() {},
    onEndpoint({ endpoint, errors, group, successes }) {
      const byStatus = new Map<number, Array<Schema.Top>>()
      for (const [status, all] of [...successes, ...errors]) {
        byStatus.set(status, [...(byStatus.get(status) ?? []), ...all])
      }
      schemas.set(`${group.identifier}.${endpoint.identifier}`, byStatus)
    }
  })
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, responses }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
      responses,
      schemas: schemas.get(operationId) ?? new Map<number, Array<Schema.Top>>()
    }))
  )
}

const operations = operationsOf()

/** Short paths. */
const aliases: Readonly<Record<string, string>> = {
  "/health": "/v1/health",
  "/live": "/v1/live",
  "/ready": "/v1/ready",
  "/openapi.json": "/v1/openapi.json",
  "/docs": "/v1/docs"
}

/** The operation of a request. A fixed path takes precedence over one with parameters. */
const operationOf = (method: string, url: string, prefix: string): Operation | undefined => {
  const { pathname } = new URL(url)
  if (prefix !== "" && pathname !== prefix && !pathname.startsWith(`${prefix}/`)) return undefined
  const bare = pathname
    .slice(prefix.length)
    .replaceAll(/\/{2,}/g, "/")
    .replace(/(.)\/$/, "$1")
    // A percent-encoded letter names the same path.
    .replaceAll(/%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/gi, decodeURIComponent)
    // The console's API forwards to the same operations.
    .replace(/^\/console\/api(?=\/v1\/)/, "")
    .replace(/^\/console\/api\/session$/, "/v1/me")
  const path = aliases[bare] ?? bare
  const declaredMethod = method === "HEAD" ? "GET" : method
  return operations
    .filter((operation) => operation.method === declaredMethod && operation.pattern.test(path))
    .sort((a, b) => a.pattern.source.split("[^/]+").length - b.pattern.source.split("[^/]+").length)[0]
}

const decodes = (schema: Schema.Top, value: unknown): boolean =>
  Schema.decodeUnknownExit(schema as Schema.Codec<unknown>)(value)._tag === "Success"

/** The errors that any request can return before it is routed. */
const edgeErrors = new Map<number, Schema.Top>([
  [404, RouteNotFound],
  [421, MisdirectedRequest],
  [503, Unavailable]
])

/** The deviations of a response from the contract, as sentences; empty if it conforms. */
export const faultsOf = async (
  request: { readonly method: string; readonly url: string },
  response: Response,
  prefix = ""
): Promise<ReadonlyArray<string>> => {
  const { headers, status } = response
  const operation = operationOf(request.method, request.url, prefix)
  const type = headers.get("content-type")?.split(";")[0]?.trim()
  const text = await response.text()
  const faults: Array<string> = []

  if (!/^[\w.:/+=-]{8,128}$/.test(headers.get("x-request-id") ?? "")) faults.push("has no x-request-id")
  if (/\n\s+at .+:\d+:\d+|SELECT |INSERT INTO|node_modules/.test(text) && type !== "text/html") {
    faults.push("contains a stack trace or an SQL statement")
  }

  // Below the SCIM root, errors of the edge are SCIM errors.
  const isScim = new URL(request.url).pathname.slice(prefix.length).startsWith("/v1/scim/v2")
  const edgeError = isScim && edgeErrors.has(status) ? ScimError : edgeErrors.get(status)
  // A response to HEAD is recognized by its headers only.
  const isEdge =
    edgeError !== undefined &&
    type === (isScim ? scimMediaType : "application/json") &&
    (request.method === "HEAD" ? text === "" : decodes(edgeError, JSON.parse(text || "null")))
  const declared = operation?.responses[status]
  // A response that no operation declares: unknown route, unknown host, or unreadable path.
  if (declared === undefined || (operation !== undefined && isEdge && status === 421)) {
    const isUnreadablePath = operation === undefined && status === 400 && /[/+]json$/.test(type ?? "")
    const { pathname } = new URL(request.url)
    const isMetrics = pathname === "/v1/metrics" && status === 200
    // A page for people who open an emailed link.
    const isPage = /\/(sign-in|invitation|claim|installed)\/?$/.test(pathname) && status === 200 && type === "text/html"
    const isToConsole = status === 302 && headers.get("location")?.endsWith("/console/") === true
    const isConsole =
      isToConsole || (pathname.slice(prefix.length).startsWith("/console") && type !== "application/json")
    // A preflight request belongs to no operation.
    const isPreflight = request.method === "OPTIONS" && status === 204 && headers.has("access-control-allow-methods")
    const isUndocumented = isUnreadablePath || isMetrics || isPage || isConsole || isPreflight
    if (!isUndocumented && (!isEdge || (status === 404 && operation !== undefined))) {
      faults.push(
        operation === undefined
          ? "belongs to a route that the document does not contain"
          : `has a status that is not declared; declared statuses: ${Object.keys(operation.responses).join(", ")}`
      )
    }
  } else {
    for (const [name, { required, $ref }] of Object.entries(declared.headers ?? {})) {
      const isRequired = required === true || $ref?.endsWith("/x-request-id") === true
      if (isRequired && !headers.has(name)) faults.push(`lacks the header ${name}`)
    }
    if (status === 401 && !headers.has("www-authenticate")) faults.push("lacks the header www-authenticate")
    if ((status === 429 || status === 503) && !headers.has("retry-after")) faults.push("lacks the header retry-after")
    const kinds = Object.entries(declared.content ?? {})
    const [declaredType, media] = kinds.find(([kind]) => kind === type) ?? []
    if (request.method === "HEAD") {
      if (text !== "") faults.push("has a body although the method is HEAD")
    } else if (kinds.length === 0) {
      if (text !== "") faults.push("has a body where none is declared")
    } else if (declaredType === undefined || media === undefined) {
      faults.push(
        `is ${type ?? "without a content type"} where ${kinds.map(([kind]) => kind).join(" or ")} is declared`
      )
    } else if (/[/+]json$/.test(declaredType)) {
      const body: unknown = JSON.parse(text)
      if (!ajv.validate(absolute(media.schema), body)) {
        faults.push(`has a body that the document does not describe: ${ajv.errorsText(undefined, { separator: "; " })}`)
      }
      // Below the SCIM root every error is a SCIM error.
      const schemas = isScim && status >= 400 ? [ScimError] : (operation?.schemas.get(status) ?? [])
      if (!schemas.some((schema) => decodes(schema, body))) faults.push("has a body that no schema decodes")
    }
  }
  return faults.map(
    (fault) =>
      `${request.method} ${request.url} (${operation?.id ?? "no operation"}) ${status} ${fault}: ${text.slice(0, 300)}`
  )
}

const compiled = new WeakMap<object, Record<string, unknown>>()

/** The schema with absolute references into the document, computed once. */
const absolute = (schema: Record<string, unknown>): Record<string, unknown> => {
  const cached = compiled.get(schema)
  if (cached !== undefined) return cached
  const resolved = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as Record<
    string,
    unknown
  >
  compiled.set(schema, resolved)
  return resolved
}

type Fetch<Rest extends ReadonlyArray<unknown>> = (request: Request, ...rest: Rest) => Promise<Response>

/**
 * A `fetch` that fails if the response does not conform to the contract. It also calls `report`, because a test that
 * expects a request to fail must not mistake this failure for the expected one.
 */
export const conforming =
  <Rest extends ReadonlyArray<unknown>>(
    fetch: Fetch<Rest>,
    report: (faults: ReadonlyArray<string>) => void,
    prefix = ""
  ): Fetch<Rest> =>
  async (request, ...rest) => {
    const { method, url } = request
    const response = await fetch(request, ...rest)
    // The client has disconnected, so the response is not read.
    if (request.signal.aborted) return response
    // A live stream has no end.
    if (response.headers.get("content-type") === "text/event-stream") return response
    const faults = await faultsOf({ method, url }, response.clone(), prefix)
    if (faults.length > 0) {
      report(faults)
      throw new Error(faults.join("\n"))
    }
    return response
  }
