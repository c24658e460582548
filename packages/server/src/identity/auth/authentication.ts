import { Authentication, Validation } from "@orgplane/schema/shared/access"
import type { Access } from "@orgplane/schema/shared/auth"
import { type Caller, type CallerRequest, CurrentCaller } from "@orgplane/schema/shared/caller"
import * as Errors from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import { OrganizationId } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { Headers } from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { isToken } from "../../infra/crypto/tokens.ts"
import { Admission } from "../../infra/http/dispatch/admission.ts"
import { CurrentResponse, type ResponseState } from "../../infra/http/current-response.ts"
import { toHostRequest } from "../../infra/http/host-request.ts"
import { checkedBytesMin, jsonFault } from "../../infra/http/json-bounds.ts"
import { reasonIn, refusalIn } from "../../infra/http/scim-error.ts"
import { type EndedCredential, Refusals, type Refused } from "../../infra/audit/refusals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { CredentialGate } from "../../infra/limits/credential-gate.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { Authenticator } from "../../infra/ports/authenticator.ts"
import { invalidRequest } from "../../infra/http/validation-details.ts"
import { ScimLog } from "../../infra/scim/log.ts"
import { kindOf, limitOf, needsMember, needsProgram, refusalOf } from "./admission.ts"
import { type EndpointMetadata, metadataOf } from "./endpoint-metadata.ts"
import { Share } from "../../infra/sql/share.ts"
import { notPlatformAdmin } from "./platform.ts"
import { type Credential, type Directory, Principals } from "./principals.ts"

const isOrganizationId = Schema.is(OrganizationId)
const bearer = /^bearer +(.+)$/i

/** The token of an `authorization` header. The common form is read without a regular expression, which is faster. */
const bearerToken = (authorization: string): string | undefined =>
  authorization.startsWith("Bearer ") && authorization.charCodeAt(7) > 0x20
    ? authorization.slice(7)
    : bearer.exec(authorization)?.[1]

const userAgentOf = (headers: Headers): string | null => headers["user-agent"]?.slice(0, 512) ?? null

const noIdempotency: Pick<CallerRequest, "digests" | "idempotency"> = { idempotency: null, digests: [] }

/** The credential is not checked. A state is not a credential: the operation that reads it validates it. */
const isForAnybody = (access: Access) => access.kind === "public" || access.kind === "state"

/** A body with a small `content-length` is not checked: most are small. */
const mayBeLarge = (metadata: EndpointMetadata, headers: Headers): boolean =>
  metadata.hasBody && !metadata.checksBody && !(Number(headers["content-length"]) < checkedBytesMin)

/**
 * Rejects a body that would take long to parse. The request keeps the bytes, and the handler parses the same bytes.
 */
const checkBody = Effect.fnUntraced(function* (http: HttpServerRequest.HttpServerRequest) {
  const fault = jsonFault(new Uint8Array(yield* Effect.orDie(http.arrayBuffer)))
  if (fault !== undefined) return yield* Errors.InvalidRequest.at(["body"], fault)
})

/** Work within an organization is charged to the organization; all other work to the source address. */
const withShare = <R>(context: Context.Context<R>, caller: Caller): Context.Context<R> =>
  "organizationId" in caller ? Context.add(context, Share, caller.organizationId) : context

const make = Effect.gen(function* () {
  const principals = yield* Principals
  const limiter = yield* RateLimiter
  const keys = yield* KeyRing
  const gate = yield* CredentialGate
  const { pathPrefix, platformAdmins } = yield* Settings
  const authenticator = yield* Effect.serviceOption(Authenticator)
  const scimLog = yield* ScimLog
  const refusals = yield* Refusals

  /** Counts the request in the audit log if it is refused, regardless of which component refuses it. */
  const auditRefusal = (responseState: ResponseState, headers: Headers, subject: Refused | EndedCredential) => {
    responseState.onRefusal = (response, now) => {
      const { address, operation } = responseState
      const userAgent = userAgentOf(headers)
      refusals.note(subject, { reason: reasonIn(response), operation, address, userAgent }, now)
    }
  }

  /** Records rejected requests of a directory in its request log, regardless of which component rejects them. */
  const noteRefusals = (
    directory: Pick<Directory, "organizationId" | "directoryId" | "tokenId">,
    http: HttpServerRequest.HttpServerRequest,
    responseState: ResponseState
  ) => {
    const request = {
      requestId: responseState.requestId,
      userAgent: http.headers["user-agent"] ?? null,
      responseState
    }
    responseState.onSend = (response) =>
      response.status < 400
        ? Effect.void
        : scimLog.noteRefusal(
            { ...directory, request },
            { method: http.method, path: http.url, ...refusalIn(response) }
          )
  }

  const unauthorized = (responseState: ResponseState, challenge: string) => {
    responseState.headers["www-authenticate"] = challenge
    return new Errors.Unauthorized()
  }
  /** The request contains no credential. RFC 6750 requires a challenge without `error`. */
  const missing = (responseState: ResponseState) => unauthorized(responseState, "Bearer")
  /** The request contains a credential that does not authenticate. The response does not disclose whether it was ever valid. */
  const invalid = (responseState: ResponseState, hint?: string) =>
    unauthorized(
      responseState,
      `Bearer error="invalid_token"${hint === undefined ? "" : `, error_description="${hint}"`}`
    )

  const workerTokens = {
    prefix: "opw",
    lookup: principals.byWorker,
    cached: principals.cachedWorker,
    ended: "worker"
  } as const
  const scimTokens = {
    prefix: "opd",
    lookup: principals.byDirectory,
    cached: principals.cachedDirectory,
    ended: "directory"
  } as const
  const sessionTokens = {
    prefix: "ops",
    lookup: principals.bySession,
    cached: principals.cachedSession,
    ended: undefined
  } as const
  /** Where a bearer token is looked up. A token with another prefix is not found. */
  const bearerKindOf = (token: string) =>
    token.startsWith("opw_") ? workerTokens : token.startsWith("opd_") ? scimTokens : sessionTokens

  /** The credential of the request. Fails when there is one and it is invalid. */
  const credentialOf = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    responseState: ResponseState,
    requestedId: Id<"org"> | null
  ): Effect.fn.Return<Credential | undefined, Errors.Unauthorized | Errors.InvalidRequest | Errors.RateLimited> {
    const response = { responseState }
    const at = { limit: limits.failedAuthentication, address: responseState.address }
    /** Only failures are limited: a valid credential passes regardless of other requests from its address. */
    const lookUp = <E>(credential: string, lookup: Effect.Effect<Credential | undefined, E>) =>
      gate.lookUp(response, { ...at, credential }, Effect.orDie(lookup))
    /** The organization of a revoked credential is looked up later, so that the response takes no longer. */
    const noteEnded = (kind: EndedCredential["kind"], token: string) =>
      auditRefusal(responseState, request.headers, { kind, tokenDigest: sha256Bytes(token) })
    const authorization = request.headers["authorization"]
    const apiKey = request.headers["x-api-key"]
    if (apiKey !== undefined) {
      // It would be unclear which of the two to use, and the audit log records exactly one.
      if (authorization !== undefined) {
        return yield* Errors.InvalidRequest.at(
          ["header", "x-api-key"],
          "cannot be combined with the authorization header"
        )
      }
      if (apiKey.startsWith("ops_"))
        return yield* invalid(responseState, "Send session tokens in the authorization header.")
      const key = isToken("opk", apiKey) ? yield* lookUp(apiKey, principals.byKey(apiKey)) : undefined
      if (key === undefined && isToken("opk", apiKey)) noteEnded("key", apiKey)
      return key ?? (yield* apiKey.trim() === "" ? missing(responseState) : invalid(responseState))
    }
    if (authorization === undefined) {
      if (Option.isNone(authenticator)) return undefined
      // The host may identify users by a cookie, and a page of another site must not change anything in their name.
      if (responseState.foreignPage && request.method !== "GET" && request.method !== "HEAD") return undefined
      const { identify } = authenticator.value
      // The host defines its own credentials; most use cookies, and a cookie may become valid after a sign-in.
      const credential = request.headers["cookie"] ?? null
      return yield* gate.lookUp(
        response,
        { ...at, credential, isImmutable: false },
        Effect.gen(function* () {
          const identity = yield* identify(toHostRequest(request, pathPrefix))
          return identity === null ? undefined : yield* principals.byHost(identity, requestedId).pipe(Effect.orDie)
        })
      )
    }
    const token = bearerToken(authorization)
    if (token === undefined) {
      return yield* /^(?:bearer)?\s*$/i.test(authorization)
        ? missing(responseState)
        : invalid(responseState, "The authorization header must be Bearer, a space and the token.")
    }
    if (token.startsWith("opk_")) return yield* invalid(responseState, "Send API keys in the x-api-key header.")
    const kind = bearerKindOf(token)
    const credential = isToken(kind.prefix, token) ? yield* lookUp(token, kind.lookup(token, requestedId)) : undefined
    if (credential === undefined && isToken(kind.prefix, token) && kind.ended !== undefined) {
      noteEnded(kind.ended, token)
    }
    return credential ?? (yield* invalid(responseState))
  })

  const digestsOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, hasBody: boolean) {
    const body = hasBody ? yield* Effect.orDie(request.text) : ""
    // Keyed, because the digest is stored and the body may have secrets that can be guessed.
    const digests = keys.signatures("idempotency", `${request.method} ${request.url}\n${body}`)
    return digests.map((digest) => digest.toString("hex"))
  })

  const requestOf = (
    metadata: EndpointMetadata,
    responseState: ResponseState,
    headers: Headers,
    idempotency: Pick<CallerRequest, "digests" | "idempotency">
  ): CallerRequest => ({
    requestId: responseState.requestId,
    address: responseState.address,
    userAgent: userAgentOf(headers),
    operation: metadata.operation,
    idempotency: idempotency.idempotency,
    digests: idempotency.digests,
    ifMatch: headers["if-match"] ?? null,
    responseState
  })

  /** The credential that `credentialOf` would find, if it is cached. */
  const cachedCredentialOf = (headers: Headers, now: number): Credential | undefined => {
    const authorization = headers["authorization"]
    const apiKey = headers["x-api-key"]
    if (authorization === undefined) return apiKey === undefined ? undefined : principals.cachedKey(apiKey, now)
    const token = apiKey === undefined ? bearerToken(authorization) : undefined
    if (token === undefined) return undefined
    return bearerKindOf(token).cached(token, now)
  }

  /**
   * The caller of most requests, without I/O: the credential is cached and nothing is refused. Returns undefined for
   * all other requests, which take the slow path.
   */
  const cachedCaller = (
    metadata: EndpointMetadata,
    responseState: ResponseState,
    headers: Headers,
    now: number
  ): Caller | undefined => {
    const length = headers["content-length"]
    if (
      // A body that is too large is refused before authentication; a body of unknown length is bounded while it is
      // read.
      (length !== undefined && !(Number(length) <= metadata.bodyBytesMax)) ||
      headers["idempotency-key"] !== undefined ||
      headers["x-organization-id"] !== undefined
    ) {
      return undefined
    }
    const request = requestOf(metadata, responseState, headers, noIdempotency)
    if (isForAnybody(metadata.access)) return { kind: "anonymous", request }
    const isForUser = metadata.access.kind === "user"
    if (!isForUser && !needsMember(metadata.access) && !needsProgram(metadata.access)) return undefined
    const credential = cachedCredentialOf(headers, now)
    if (credential === undefined) return undefined
    const subject = kindOf(credential).refused(credential)
    if (subject !== undefined) auditRefusal(responseState, headers, subject)
    // A platform administrator may query the whole installation.
    if (metadata.access.kind === "permissionOrPlatform" && credential.kind === "person") return undefined
    if (refusalOf(metadata, credential, false) !== undefined) return undefined
    const kind = kindOf(credential)
    return limiter.takeFromLease(request, limitOf(metadata, credential), kind.limitKey(credential), now)
      ? kind.caller(metadata, credential, request)
      : undefined
  }

  const begin = (metadata: EndpointMetadata, responseState: ResponseState) => {
    responseState.operation = metadata.operation
    if (metadata.holdsSecret) responseState.headers["cache-control"] = "no-store"
    if (metadata.deprecation !== undefined) Object.assign(responseState.headers, metadata.deprecation)
  }

  const admission = Admission.of((group, endpoint) => {
    const metadata = metadataOf(group, endpoint)
    return {
      admit: (responseState, headers, now) => {
        // The middleware writes the log of a directory's rejected requests.
        if (metadata.access.kind === "scim") return undefined
        begin(metadata, responseState)
        return cachedCaller(metadata, responseState, headers, now)
      },
      checkBody: (http) => (mayBeLarge(metadata, http.headers) ? checkBody(http) : undefined),
      bodySizeMax: metadata.bodySizeMax
    }
  })

  const authentication = Authentication.of((handled, { endpoint, group }) =>
    Effect.withFiber((fiber) => {
      const metadata = metadataOf(group, endpoint)
      const responseState = Context.getUnsafe(fiber.context, CurrentResponse)
      const http = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      begin(metadata, responseState)
      const credential = cachedCaller(
        metadata,
        responseState,
        http.headers,
        fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
      )
      if (credential !== undefined) {
        if (credential.kind === "directory") noteRefusals(credential, http, responseState)
        const bounded = mayBeLarge(metadata, http.headers) ? Effect.andThen(checkBody(http), handled) : handled
        return Effect.updateContext(bounded, (context: Context.Context<never>) => {
          // The body of a GET request is never read. SCIM reads bodies that the contract does not declare.
          const withBodyBound =
            http.method === "GET"
              ? context
              : Context.add(context, HttpIncomingMessage.MaxBodySize, metadata.bodySizeMax)
          return Context.add(withShare(withBodyBound, credential), CurrentCaller, credential)
        })
      }
      return Effect.gen(function* () {
        const response = { responseState }
        // Public operations check no credential, so that an invalid one does not matter.
        const isSigned = metadata.access.kind === "signature"
        const isPublic = isForAnybody(metadata.access)
        if (metadata.hasBody && Number(http.headers["content-length"] ?? 0) > metadata.bodyBytesMax) {
          return yield* new Errors.PayloadTooLarge()
        }
        const header = http.headers["x-organization-id"]
        const requestedId = header !== undefined && isOrganizationId(header) ? header : null
        // The signature covers the body: the operation that reads the body verifies it.
        const credential =
          isPublic || isSigned
            ? undefined
            : yield* credentialOf(http, responseState, requestedId).pipe(
                Effect.tapErrorTag("Unauthorized", () =>
                  limiter.take(response, limits.failedAuthentication, responseState.address)
                )
              )
        if (credential === undefined && !isPublic && !isSigned) {
          // A missing credential does not count as a guess. Any web page can make a browser send such requests, and
          // they must not exhaust the limit of everyone at the same address.
          if (!responseState.foreignPage)
            yield* limiter.take(response, limits.failedAuthentication, responseState.address)
          return yield* missing(responseState)
        }
        const subject = credential === undefined ? undefined : kindOf(credential).refused(credential)
        if (subject !== undefined) auditRefusal(responseState, http.headers, subject)
        if (credential?.kind === "directory" && metadata.access.kind === "scim")
          noteRefusals(credential, http, responseState)
        const key = metadata.idempotency === "none" ? undefined : http.headers["idempotency-key"]
        const request = requestOf(
          metadata,
          responseState,
          http.headers,
          key === undefined || metadata.idempotency === "none"
            ? noIdempotency
            : {
                idempotency: { key, keeps: metadata.holdsSecret ? "fact" : metadata.idempotency },
                digests: yield* digestsOf(http, metadata.hasBody)
              }
        )
        const caller: Caller = yield* Effect.gen(function* () {
          if (credential === undefined) return { kind: "anonymous" as const, request }
          const kind = kindOf(credential)
          const mayBePlatform =
            metadata.access.kind === "platform" ||
            (metadata.access.kind === "permissionOrPlatform" && header === undefined)
          if (credential.kind === "person" && mayBePlatform && kind.refusal(metadata, credential) === undefined) {
            const refusal = notPlatformAdmin(credential, platformAdmins, yield* Clock.currentTimeMillis)
            if (refusal === undefined) {
              return { kind: "platform" as const, userId: credential.userId, sessionId: credential.sessionId, request }
            }
            if (metadata.access.kind === "platform") return yield* refusal
          }
          const isElsewhere = header !== undefined && kind.isElsewhere(credential, requestedId)
          const refusal = refusalOf(metadata, credential, isElsewhere)
          return refusal === undefined ? kind.caller(metadata, credential, request) : yield* refusal
        })
        if (credential !== undefined) {
          const kind = kindOf(credential)
          yield* limiter.take(response, limitOf(metadata, credential), kind.limitKey(credential))
        }
        if (key !== undefined && (key.length === 0 || key.length > 255)) {
          return yield* Errors.InvalidRequest.at(["header", "idempotency-key"], "must be 1 to 255 characters")
        }
        if (mayBeLarge(metadata, http.headers)) yield* checkBody(http)
        return yield* Effect.updateContext(handled, (context: Context.Context<never>) =>
          Context.add(withShare(context, caller), CurrentCaller, caller)
        )
      }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, metadata.bodySizeMax))
    })
  )
  return Context.make(Authentication, authentication).pipe(Context.add(Admission, admission))
})

/** The authentication of every request, and its short form for requests that need not wait. */
export const layerAuthentication = Layer.effectContext(make)

const slots: Record<string, string> = { Params: "path", Query: "query", Headers: "header", Payload: "body" }

/** Reports every validation error of a request with its location. */
export const layerValidation = HttpApiMiddleware.layerSchemaErrorTransform(Validation, (error) => {
  const slot = slots[error.kind]
  if (slot === undefined) return Effect.die(error)
  return Effect.fail(invalidRequest(slot, error.cause.issue))
})
