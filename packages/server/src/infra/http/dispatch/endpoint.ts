import { Authentication, Validation } from "@orgplane/schema/shared/access"
import { IgnoresUnknown } from "@orgplane/schema/shared/auth"
import type { CurrentCaller } from "@orgplane/schema/shared/caller"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpMethod from "effect/http/HttpMethod"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type * as Types from "effect/Types"
import { CurrentResponse, type ResponseState } from "../current-response.ts"
import { invalidRequest } from "../validation-details.ts"
import { makeEncoder } from "./encoder.ts"
import { bodyCheckOf, checkUnknown, queryCheckOf } from "./unknown-members.ts"

/** An endpoint of the contract, as `HttpApi.reflect` reports it. */
export interface Contract {
  readonly group: HttpApiGroup.Top
  readonly endpoint: HttpApiEndpoint.Top
  readonly mergedAnnotations: Context.Context<never>
  readonly successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
  readonly errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

export type Handle = (request: Record<string, unknown>) => Effect.Effect<unknown, unknown, unknown>
type Response = HttpServerResponse.HttpServerResponse
type Decode = (input: unknown) => Exit.Exit<unknown, SchemaIssue.Issue>

const json = "application/json"

/** The options of each part: its own, otherwise those of the API. */
const parseOptionsOf = (annotations: Context.Context<never>) => {
  const shared = Context.getOrUndefined(annotations, HttpApi.ParseOptions)
  const of = <I>(key: Context.Key<I, SchemaAST.ParseOptions>) => Context.getOrUndefined(annotations, key) ?? shared
  return {
    params: of(HttpApi.ParamsParseOptions),
    query: of(HttpApi.QueryParseOptions),
    headers: of(HttpApi.HeadersParseOptions),
    payload: of(HttpApi.PayloadParseOptions),
    error: of(HttpApi.ErrorParseOptions)
  }
}

/** Whether responses of this schema are JSON or empty. */
const isJson = (schema: Schema.Top) =>
  !HttpApiSchema.isWithHeaders(schema) && SchemaAST.resolve(schema.ast)?.["~httpApiEncoding"] === undefined

const decoderOf = (schema: Schema.Top, options: SchemaAST.ParseOptions | undefined): Decode =>
  SchemaParser.decodeUnknownExit(schema as Schema.Codec<unknown>, options)

const isSameBody = (one: Schema.Top, other: Schema.Top) =>
  isJson(other) &&
  JSON.stringify(Schema.toJsonSchemaDocument(one)) === JSON.stringify(Schema.toJsonSchemaDocument(other))

const encoderOfSuccess = ({ successes }: Contract): ((value: unknown) => Response) | undefined => {
  const [[status, schemas] = [0, []], ...others] = successes
  const [schema] = schemas
  if (schema === undefined || schemas.length > 1 || !isJson(schema)) return undefined
  // Like the framework, the first status is used. Where both have the same body, the handler sets the other one itself.
  if (others.some(([, [other, ...more]]) => other === undefined || more.length > 0 || !isSameBody(schema, other))) {
    return undefined
  }
  if (HttpApiSchema.isNoContent(schema.ast)) return () => HttpServerResponse.empty({ status })
  const tags: ReadonlyArray<SchemaAST.AST["_tag"]> = ["Objects", "Arrays", "Union"]
  if (!tags.includes(schema.ast._tag)) return undefined
  const encode = makeEncoder(schema)
  const options = { status, contentType: json }
  return (value) => HttpServerResponse.text(JSON.stringify(encode(value)), options)
}

const encoderOfErrors = (
  { errors }: Contract,
  options: SchemaAST.ParseOptions | undefined
): ((error: unknown) => Effect.Effect<Response>) | undefined => {
  const all = [...errors].flatMap(([status, schemas]) => schemas.map((schema) => ({ status, schema })))
  if (!all.every(({ schema }) => isJson(schema) && !HttpApiSchema.isNoContent(schema.ast))) return undefined
  const encoders = all.map(({ schema, status }) => ({
    status,
    is: Schema.is(schema),
    encode: SchemaParser.encodeUnknownExit(schema as Schema.Codec<unknown>, options)
  }))
  return (error) => {
    for (const { encode, is, status } of encoders) {
      if (!is(error)) continue
      const encoded = encode(error)
      if (Exit.isSuccess(encoded)) {
        return Effect.succeed(HttpServerResponse.text(JSON.stringify(encoded.value), { status, contentType: json }))
      }
    }
    return HttpServerRespondable.isRespondable(error) ? HttpServerRespondable.toResponse(error) : Effect.die(error)
  }
}

interface Body {
  readonly decoded: Exit.Exit<unknown, SchemaIssue.Issue>
  /** The value before it is decoded. */
  readonly value: unknown
}

/** Reads and decodes the JSON body. Null for an endpoint without a body, undefined if the body is not JSON. */
const payloadReaderOf = (
  { endpoint }: Contract,
  options: SchemaAST.ParseOptions | undefined
):
  | {
      readonly read: (http: HttpServerRequest.HttpServerRequest) => Effect.Effect<Body> | Response
      readonly schemas: ReadonlyArray<Schema.Top>
    }
  | null
  | undefined => {
  if (endpoint.payload.size === 0) return null
  const declared = endpoint.payload.get(json)
  if (
    declared === undefined ||
    endpoint.payload.size > 1 ||
    declared.encoding._tag !== "Json" ||
    declared.schemas.some((schema) => "ast" in schema && SchemaAST.isNull(SchemaAST.toEncoded(schema.ast))) ||
    !HttpMethod.hasBody(endpoint.method)
  ) {
    return undefined
  }
  const schemas: ReadonlyArray<Schema.Top> = declared.schemas
  const decode = decoderOf(Schema.Union(schemas), options)
  const decodeText = (text: string): Body => {
    if (text === "") return { decoded: decode(undefined), value: undefined }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return {
        decoded: Exit.fail(new SchemaIssue.InvalidValue({ message: "Expected a valid JSON body" })),
        value: undefined
      }
    }
    return { decoded: decode(value), value }
  }
  const read = (http: HttpServerRequest.HttpServerRequest) => {
    const type = http.headers["content-type"]
    if (type !== undefined && type !== json && mediaType(type) !== json) {
      return HttpServerResponse.text(`Unsupported content-type: ${mediaType(type)}`, { status: 415 })
    }
    return Effect.map(Effect.orDie(http.text), decodeText)
  }
  return { read, schemas }
}

/** A content type without its parameters. */
const mediaType = (header: string) => (header.split(";", 1)[0] ?? "").trim().toLowerCase()

/** The error of a request whose part is invalid. */
const refuse = (part: string, { cause }: Exit.Failure<unknown, SchemaIssue.Issue>) => {
  const issue = Option.getOrUndefined(Cause.findErrorOption(cause))
  return issue === undefined ? Effect.failCause(cause) : Effect.fail(invalidRequest(part, issue))
}

/** The input of an endpoint as it arrives: the request, the parameters of its path, and those of its query. */
export interface Input {
  readonly http: HttpServerRequest.HttpServerRequest
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | Array<string>>>
  readonly state: Pick<ResponseState, "headers">
}

export interface PreparedEndpoint {
  /** The endpoint as a handler of the router. */
  readonly handler: Effect.Effect<Response, unknown, unknown>
  /** Decodes the input, and passes it on. */
  readonly decode: (
    input: Input,
    handle: (request: Record<string, unknown>) => Effect.Effect<unknown, unknown, unknown>
  ) => Effect.Effect<unknown, unknown, unknown>
  /** The response to what the handler returns. */
  readonly encode: (value: unknown) => Response
  readonly encodeError: (error: unknown) => Effect.Effect<Response>
}

/**
 * Prepares an endpoint once: the decoder of each part of a request, and the encoders of the response and of the errors.
 * A request then runs authentication, the decoders and the handler in the same order as `HttpApiBuilder`, but it merges
 * no contexts and creates no effects for steps that never wait. A raw handler reads the body itself.
 *
 * Returns undefined for an endpoint with a body or response other than JSON, or with several kinds of success. The
 * framework handles these. `dispatch.test.ts` compares the prepared endpoints with the framework.
 */
export const prepareEndpoint = (
  contract: Contract,
  handle: Handle,
  authenticate: Authentication["Service"],
  isRaw = false
): PreparedEndpoint | undefined => {
  const { endpoint, group } = contract
  const middlewares = [...endpoint.middlewares] as ReadonlyArray<unknown>
  if (middlewares.length !== 2 || !middlewares.includes(Authentication) || !middlewares.includes(Validation)) return
  const options = parseOptionsOf(contract.mergedAnnotations)
  const encodeValue = encoderOfSuccess(contract)
  const encodeError = encoderOfErrors(contract, options.error)
  const readPayload = isRaw ? null : payloadReaderOf(contract, options.payload)
  if (encodeValue === undefined || encodeError === undefined || readPayload === undefined) return
  const decodeParams = endpoint.params && decoderOf(endpoint.params, options.params)
  const decodeHeaders = endpoint.headers && decoderOf(endpoint.headers, options.headers)
  const decodeQuery = endpoint.query && decoderOf(Schema.toCodecArrayFromSingle(endpoint.query), options.query)

  const ignored = Context.getOrUndefined(contract.mergedAnnotations, IgnoresUnknown) ?? []
  const unknownInQuery = ignored === true ? undefined : queryCheckOf(endpoint.query, ignored)
  const unknownInBody = ignored === true ? undefined : bodyCheckOf(readPayload?.schemas ?? [], ignored)
  const isUnchecked = unknownInQuery === undefined && unknownInBody === undefined

  /** Fails for unknown fields that are rejected, and reports the others in a response header. */
  const refuseUnknown = ({ http, query, state }: Input, body: unknown) => {
    if (isUnchecked) return undefined
    const inQuery = unknownInQuery?.(query) ?? []
    const inBody = unknownInBody?.(body) ?? []
    const refusal = checkUnknown(inBody.length === 0 ? inQuery : [...inQuery, ...inBody], {
      prefer: http.headers["prefer"],
      responseHeaders: state.headers
    })
    return refusal === undefined ? undefined : Effect.fail(refusal)
  }

  const encode = (value: unknown) => (HttpServerResponse.isHttpServerResponse(value) ? value : encodeValue(value))

  const decode: PreparedEndpoint["decode"] = (input, run) => {
    const { http } = input
    const request: Record<string, unknown> = { request: http, endpoint, group }
    if (decodeParams !== undefined) {
      const params = decodeParams(input.params)
      if (Exit.isFailure(params)) return refuse("path", params)
      request["params"] = params.value
    }
    if (decodeHeaders !== undefined) {
      const headers = decodeHeaders(http.headers)
      if (Exit.isFailure(headers)) return refuse("header", headers)
      request["headers"] = headers.value
    }
    if (decodeQuery !== undefined) {
      const query = decodeQuery(input.query)
      if (Exit.isFailure(query)) return refuse("query", query)
      request["query"] = query.value
    }
    if (readPayload === null) return refuseUnknown(input, undefined) ?? run(request)
    const payload = readPayload.read(http)
    if (HttpServerResponse.isHttpServerResponse(payload)) return Effect.succeed(payload)
    return Effect.flatMap(payload, ({ decoded, value }) => {
      if (Exit.isFailure(decoded)) return refuse("body", decoded)
      request["payload"] = decoded.value
      return refuseUnknown(input, value) ?? run(request)
    })
  }

  const decoded = Effect.withFiber<Response, unknown, unknown>(({ context }) =>
    Effect.map(
      decode(
        {
          http: Context.getUnsafe(context, HttpServerRequest.HttpServerRequest),
          params: Context.getUnsafe(context, HttpRouter.RouteContext).params,
          query: Context.getUnsafe(context, HttpServerRequest.ParsedSearchParams),
          state: Context.getUnsafe(context, CurrentResponse)
        },
        handle
      ),
      encode
    )
  )
  // Authentication provides the caller and passes on every error of the handler, which is the type that it asks for.
  const handled = decoded as Effect.Effect<Response, Types.unhandled, CurrentCaller>
  return {
    handler: Effect.catch(authenticate(handled, { endpoint, group }), encodeError),
    decode,
    encode,
    encodeError
  }
}
