import { Authentication, Validation } from "@orgplane/schema/shared/access"
import type { Access } from "@orgplane/schema/shared/auth"
import { type Caller, type CallerRequest, CurrentCaller, type Member } from "@orgplane/schema/shared/caller"
import * as Errors from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import { OrganizationId } from "@orgplane/schema/shared/ids"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { sha256 } from "../crypto/digest.ts"
import { isToken } from "../crypto/tokens.ts"
import { Answer, type AnswerHead } from "../http/answer.ts"
import { limits, RateLimiter } from "../limits/index.ts"
import { Authenticator } from "../ports/authenticator.ts"
import { keyLimit, refusedToKey } from "./keys.ts"
import { type EndpointManners, mannersOf } from "./manners.ts"
import { type Key, type Known, type Person, Principals } from "./principals.ts"
import { refusedTo } from "./sessions.ts"

const isOrganizationId = Schema.is(OrganizationId)
const bearer = /^bearer +(.+)$/i

const forbidden = (reason: Errors.ForbiddenReason, message: string) => new Errors.Forbidden({ reason, message })

/** Judges what the operation demands of a member, in the order every operation answers in. */
const judge = (
  manners: EndpointManners,
  caller: Member
): Effect.Effect<void, Errors.Forbidden | Errors.PlanRequired> => {
  const { access, plan } = manners
  if (access.kind === "owner" && !caller.isOwner) {
    return Effect.fail(forbidden("owner_required", "Only an owner may do this."))
  }
  if (access.kind === "permission" && !caller.permissions.has(access.permission)) {
    return Effect.fail(forbidden("permission_required", `This needs the permission ${access.permission}.`))
  }
  if (plan !== undefined && caller.plan !== "enterprise") return Effect.fail(new Errors.PlanRequired({ feature: plan }))
  return Effect.void
}

const needsMember = (access: Access) =>
  access.kind === "member" || access.kind === "session" || access.kind === "permission" || access.kind === "owner"

const memberOf = (person: Person, request: CallerRequest): Member | undefined => {
  const { membership } = person
  if (membership === null) return undefined
  return {
    kind: "member",
    organizationId: membership.organizationId,
    principal: {
      kind: "session",
      sessionId: person.sessionId,
      userId: person.userId,
      membershipId: membership.id
    },
    isAdmin: membership.role === "owner" || membership.role === "admin",
    isOwner: membership.role === "owner",
    permissions: membership.permissions,
    provisional: membership.provisional,
    plan: membership.plan,
    request
  }
}

/** A key is never an admin: what it reaches is what it holds, whoever made it. */
const keyMemberOf = (key: Key, request: CallerRequest): Member => ({
  kind: "member",
  organizationId: key.organizationId,
  principal: { kind: "key", keyId: key.keyId },
  isAdmin: false,
  isOwner: false,
  permissions: key.permissions,
  provisional: key.provisional,
  plan: key.plan,
  request
})

const make = Effect.gen(function* () {
  const principals = yield* Principals
  const limiter = yield* RateLimiter
  const authenticator = yield* Effect.serviceOption(Authenticator)

  const unauthorized = (answer: AnswerHead, hint?: string) => {
    answer.headers["www-authenticate"] =
      hint === undefined ? "Bearer" : `Bearer error="invalid_token", error_description="${hint}"`
    return new Errors.Unauthorized()
  }

  /** Who is behind the request; fails when a credential is there and is not good. */
  const knownOf = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    answer: AnswerHead,
    named: Id<"org"> | null
  ): Effect.fn.Return<Known | undefined, Errors.Unauthorized | Errors.InvalidRequest> {
    const authorization = request.headers["authorization"]
    const apiKey = request.headers["x-api-key"]
    if (apiKey !== undefined) {
      // Which of the two acts would be a guess, and the audit names one.
      if (authorization !== undefined) {
        return yield* Errors.InvalidRequest.at(["header", "x-api-key"], "cannot come together with authorization")
      }
      if (apiKey.startsWith("ops_")) return yield* unauthorized(answer, "Sessions go in the authorization header")
      const key = isToken("opk", apiKey) ? yield* principals.byKey(apiKey).pipe(Effect.orDie) : undefined
      return key ?? (yield* unauthorized(answer))
    }
    if (authorization === undefined) {
      if (Option.isNone(authenticator)) return undefined
      const web = yield* HttpServerRequest.toWeb(request).pipe(Effect.orDie)
      const identity = yield* authenticator.value.identify(web)
      return identity === null ? undefined : yield* principals.byHost(identity, named).pipe(Effect.orDie)
    }
    const token = bearer.exec(authorization)?.[1]
    if (token === undefined) return yield* unauthorized(answer)
    if (token.startsWith("opk_")) return yield* unauthorized(answer, "API keys go in the x-api-key header")
    const person = isToken("ops", token) ? yield* principals.bySession(token, named).pipe(Effect.orDie) : undefined
    return person ?? (yield* unauthorized(answer))
  })

  const digestOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    return sha256(`${request.method} ${request.url}\n${yield* Effect.orDie(request.text)}`)
  })

  return Authentication.of((handled, { endpoint, group }) =>
    Effect.withFiber((fiber) => {
      const manners = mannersOf(group, endpoint)
      const answer = Context.getUnsafe(fiber.context, Answer)
      const http = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      answer.operation = manners.operation
      const told = { head: answer.headers }
      if (manners.holdsSecret) answer.headers["cache-control"] = "no-store"
      return Effect.gen(function* () {
        yield* limiter.check(told, limits.failedAuthentication, answer.address)
        if (Number(http.headers["content-length"] ?? 0) > manners.bodyBytesMax) {
          return yield* new Errors.PayloadTooLarge()
        }
        const header = http.headers["x-organization-id"]
        const named = header !== undefined && isOrganizationId(header) ? header : null
        // Who asks what anybody may know is nobody's business, and no credential of theirs can be wrong.
        const isPublic = manners.access.kind === "public"
        const known = isPublic
          ? undefined
          : yield* knownOf(http, answer, named).pipe(
              Effect.tapErrorTag("Unauthorized", () => limiter.take(told, limits.failedAuthentication, answer.address))
            )
        if (known === undefined && !isPublic) {
          yield* limiter.take(told, limits.failedAuthentication, answer.address)
          return yield* unauthorized(answer)
        }
        const key = manners.idempotency === "none" ? undefined : http.headers["idempotency-key"]
        const request: CallerRequest = {
          requestId: answer.requestId,
          address: answer.address,
          userAgent: http.headers["user-agent"]?.slice(0, 512) ?? null,
          operation: manners.operation,
          idempotency:
            key === undefined || manners.idempotency === "none"
              ? null
              : { key, keeps: manners.holdsSecret ? "fact" : manners.idempotency },
          digest: key === undefined ? "" : yield* digestOf(http),
          ifMatch: http.headers["if-match"] ?? null,
          head: answer.headers
        }
        const caller: Caller = yield* Effect.gen(function* () {
          if (known === undefined) return { kind: "anonymous" as const, request }
          const refused = known.kind === "key" ? refusedToKey(manners) : refusedTo(known.sessionKind, manners)
          if (known.kind === "person" && !needsMember(manners.access)) {
            if (refused !== undefined) return yield* refused
            return {
              kind: "user" as const,
              userId: known.userId,
              sessionId: known.sessionId,
              boundTo: known.boundTo,
              verifiedEmail: known.verifiedEmail,
              request
            }
          }
          const isElsewhere =
            header !== undefined && (named === null || (known.kind === "key" && known.organizationId !== named))
          const member = isElsewhere
            ? undefined
            : known.kind === "key"
              ? keyMemberOf(known, request)
              : memberOf(known, request)
          if (member === undefined) return yield* new Errors.OrganizationNotFound()
          if (refused !== undefined) return yield* refused
          yield* judge(manners, member)
          return member
        })
        if (known?.kind === "person") yield* limiter.take(told, limits.session, known.sessionId ?? known.userId)
        if (known?.kind === "key") yield* limiter.take(told, keyLimit(known.requestsPerMinute), known.keyId)
        if (key !== undefined && (key.length === 0 || key.length > 255)) {
          return yield* Errors.InvalidRequest.at(["header", "idempotency-key"], "must be 1 to 255 characters")
        }
        return yield* Effect.provideService(handled, CurrentCaller, caller)
      }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(manners.bodyBytesMax)))
    })
  )
})

export const layerAuthentication = Layer.effect(Authentication, make)

const format = SchemaIssue.makeFormatterStandardSchemaV1()
const slots: Record<string, string> = { Params: "path", Query: "query", Headers: "header", Payload: "body" }

/** Every fault of a request, each with the place it stands at. */
export const layerValidation = HttpApiMiddleware.layerSchemaErrorTransform(Validation, (error) => {
  const slot = slots[error.kind]
  if (slot === undefined) return Effect.die(error)
  const details = format(error.cause.issue).issues.map((issue) => ({
    message: issue.message,
    path: [
      slot,
      ...(issue.path ?? []).map((part) => {
        const key = typeof part === "object" ? part.key : part
        return typeof key === "number" ? key : String(key)
      })
    ]
  }))
  return Effect.fail(new Errors.InvalidRequest({ details }))
})
