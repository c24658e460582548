import * as Bootstrap from "@orgplane/schema/bootstrap"
import type { Anonymous, SignedIn } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as keys from "../api-keys/repo.ts"
import { hintOf } from "../api-keys/hint.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { ordered } from "../auth/permissions.ts"
import { Principals } from "../auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { equalBytes, sha256Bytes } from "../../infra/crypto/digest.ts"
import { makeToken } from "../../infra/crypto/tokens.ts"
import { makeId } from "../../infra/ids.ts"
import { CredentialGate } from "../../infra/limits/credential-gate.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import * as members from "../members/repo.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import * as organizations from "../organizations/repo.ts"
import * as sessions from "../sessions/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { demandUnbound } from "../users/bound.ts"
import { normalizeEmail } from "../users/email.ts"
import * as users from "../users/repo.ts"
import * as repo from "./repo.ts"

const provisionalMax = 100
const daySeconds = 86_400

interface NewWorkspace {
  readonly name: string
  readonly isProvisional: boolean
  readonly ownerName: string
  readonly kind: "bootstrap" | "seed"
  readonly sessionSeconds: number
}

/** Creates and claims workspaces that an agent sets up before people join. */
export class BootstrapService extends Context.Service<BootstrapService>()("@orgplane/server/bootstrap/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const settings = yield* Settings
    const limiter = yield* RateLimiter
    const gate = yield* CredentialGate
    const principals = yield* Principals
    const { mutate } = yield* Mutate

    /** Creates an organization with one owner and a session, inside the caller's transaction. */
    const createOrganization = Effect.fnUntraced(function* (input: NewWorkspace) {
      const organizationId = makeId("org")
      const userId = makeId("usr")
      const membershipId = makeId("om")
      const token = makeToken("ops")
      const organization = yield* organizations.create(sql, {
        id: organizationId,
        name: input.name,
        plan: settings.defaultPlan,
        isProvisional: input.isProvisional
      })
      yield* members.createUser(sql, userId, input.ownerName)
      yield* members.create(sql, organizationId, { id: membershipId, userId, role: "owner" })
      const session = yield* sessions.create(sql, {
        id: makeId("ses"),
        tokenDigest: sha256Bytes(token),
        userId,
        organizationId,
        kind: input.kind,
        lifetimeSeconds: input.sessionSeconds
      })
      return { organization, session, token, userId, membershipId }
    })

    const admit = Effect.fnUntraced(function* (caller: Anonymous, token: string | undefined) {
      const mode = settings.bootstrap
      if (mode.kind === "off") {
        return yield* new Forbidden({
          reason: "permission_required",
          message: "Creating workspaces is disabled on this server."
        })
      }
      if (mode.kind === "token" && !equalBytes(sha256Bytes(token ?? ""), sha256Bytes(mode.token))) {
        yield* limiter.take(caller.request, limits.failedAuthentication, caller.request.address)
        return yield* new Forbidden({
          reason: "permission_required",
          message: "This requires the bootstrap token in the x-bootstrap-token header."
        })
      }
      // A caller with the operator's token is trusted, so no limit applies.
      if (mode.kind === "open") yield* limiter.take(caller.request, limits.bootstrap, caller.request.address)
    })

    /** Creates an unclaimed workspace: an owner session for the agent, and claim links for people. */
    const workspace = Effect.fnUntraced(function* (
      caller: Anonymous,
      input: typeof Bootstrap.CreateWorkspace.Type,
      token: string | undefined
    ) {
      const ownerEmail = input.ownerEmail === undefined ? null : normalizeEmail(input.ownerEmail)
      if (ownerEmail === undefined) return yield* InvalidRequest.at(["body", "ownerEmail"], "must be an email address")
      yield* admit(caller, token)
      const roles = input.claimRoles ?? []
      const claimRoles = roles.includes("owner") ? roles : (["owner", ...roles] as const)
      return yield* mutate(
        caller,
        "bootstrap.workspace",
        Effect.gen(function* () {
          yield* organizations.lockProvisional(sql)
          if ((yield* organizations.countProvisional(sql)) >= provisionalMax) {
            return yield* new Bootstrap.BootstrapQuotaExceeded()
          }
          const workspace = yield* createOrganization({
            name: input.workspaceName,
            isProvisional: true,
            ownerName: "Bootstrap agent",
            kind: "bootstrap",
            sessionSeconds: daySeconds
          })
          const claimLinks = yield* Effect.forEach(claimRoles, (role) => {
            const secret = makeToken("opc")
            const id = makeId("inv")
            const email = role === "owner" ? ownerEmail : null
            return Effect.map(
              repo.createClaim(sql, workspace.organization.id, { id, tokenDigest: sha256Bytes(secret), role, email }),
              (expiresAt) => ({
                id,
                role,
                token: secret,
                // Browsers do not send the fragment, so the token does not reach server logs or Referer headers.
                url: `${settings.links.claim}#token=${secret}`,
                expiresAt: iso(expiresAt)
              })
            )
          })
          return {
            ok: true as const,
            organization: organizations.toWire(workspace.organization),
            session: { token: workspace.token, expiresAt: iso(workspace.session.expires_at) },
            claimLinks
          }
        }),
        (workspace) => ({
          target: workspace.organization.id,
          after: {
            organizationId: workspace.organization.id,
            name: digestOf(workspace.organization.name),
            claims: workspace.claimLinks.map((link) => ({ id: link.id, role: link.role }))
          }
        })
      )
    })

    /** Only invalid tokens count toward the rate limit of their source address. */
    const limitFailures = Effect.fnUntraced(function* <A, E>(
      { request }: Anonymous | SignedIn,
      token: string,
      lookup: Effect.Effect<A | undefined, E>
    ) {
      const attempt = { limit: limits.claim, address: request.address, credential: token }
      const result = yield* gate.lookUp(request, attempt, lookup)
      if (result !== undefined) return result
      yield* limiter.take(request, limits.claim, request.address)
      return yield* new Bootstrap.ClaimNotFound()
    })

    const previewClaim = Effect.fnUntraced(function* (caller: Anonymous, token: string) {
      const row = yield* limitFailures(caller, token, repo.findClaim(sql, sha256Bytes(token)))
      return { organizationName: row.organization_name, role: row.role, expiresAt: iso(row.expires_at) }
    })

    /**
     * Joins the workspace of a claim. The first owner makes it permanent: the agent that created it is signed out and
     * removed, and the other owner links expire.
     */
    const acceptClaim = Effect.fnUntraced(function* (caller: SignedIn, input: typeof Bootstrap.AcceptClaim.Type) {
      const { keepAgent, token } = input
      yield* demandUnbound(caller)
      if (caller.verifiedEmail === null) {
        return yield* new Forbidden({
          reason: "email_not_verified",
          message: "This requires a verified email address. Sign in with an email code first."
        })
      }
      const email = normalizeEmail(caller.verifiedEmail)
      const membershipId = makeId("om")
      const key = keepAgent === undefined ? null : makeToken("opk")
      const accept = mutate(
        caller,
        "bootstrap.claim",
        Effect.gen(function* () {
          // Two links used concurrently create one membership.
          yield* users.lock(sql, caller.userId)
          yield* repo.lockWorkspace(sql, sha256Bytes(token))
          const claim = yield* repo.takeClaim(sql, sha256Bytes(token))
          if (claim === undefined) return yield* new Bootstrap.ClaimNotFound()
          if (claim.email !== null && claim.email !== email) {
            return yield* new Forbidden({
              reason: "email_mismatch",
              message: "The link was created for another email address. Sign in with that address."
            })
          }
          const { organization_id: organizationId, role } = claim
          if (yield* members.isMember(sql, organizationId, caller.userId))
            return yield* new Bootstrap.ClaimMemberExists()
          yield* members.create(sql, organizationId, { id: membershipId, userId: caller.userId, role })
          if (keepAgent !== undefined && role !== "owner") {
            return yield* InvalidRequest.at(["body", "keepAgent"], "can only be set when claiming as an owner")
          }
          const agentKey =
            keepAgent === undefined || key === null
              ? null
              : yield* keys.create(sql, organizationId, {
                  id: makeId("key"),
                  name: keepAgent.name ?? "Bootstrap agent",
                  hint: hintOf(key),
                  digest: sha256Bytes(key),
                  permissions: ordered(keepAgent.permissions),
                  requestsPerMinute: limits.key.perWindow,
                  expiresAt: null,
                  createdBy: membershipId
                })
          if (role === "owner") yield* repo.makePermanent(sql, organizationId, agentKey?.id ?? null)
          if (caller.sessionId !== null) yield* sessions.selectOrganization(sql, caller.sessionId, organizationId, true)
          yield* principals.announce(organizationId)
          yield* principals.announce(caller.userId)
          const organization = yield* expectRow(yield* organizations.find(sql, organizationId), "organization")
          const member = yield* expectRow(yield* members.find(sql, organizationId, membershipId), "member")
          return {
            ok: true as const,
            organization: organizations.toWire(organization),
            member: members.toWire(member),
            apiKey: agentKey == null ? null : keys.toWire(agentKey)
          }
        }),
        ({ apiKey, member, organization }) => ({
          target: organization.id,
          after: {
            organizationId: organization.id,
            membershipId: member.id,
            role: member.role,
            ...(apiKey === null ? {} : { apiKeyId: apiKey.id, permissions: apiKey.permissions })
          }
        })
      ).pipe(Effect.catchTag("ClaimNotFound", () => Effect.succeed(undefined)))
      const accepted = yield* limitFailures(caller, token, accept)
      principals.forget(accepted.organization.id)
      principals.forget(caller.userId)
      return { ...accepted, key }
    })

    /** Creates the demo's organization: an ordinary one whose owner is signed in for 30 days. */
    const seedWorkspace = (
      name: string
    ): Effect.Effect<{
      readonly organizationId: Id<"org">
      readonly userId: Id<"usr">
      readonly membershipId: Id<"om">
      readonly sessionId: Id<"ses">
      readonly token: string
    }> =>
      Effect.gen(function* () {
        const workspace = yield* createOrganization({
          name,
          isProvisional: false,
          ownerName: "Demo owner",
          kind: "seed",
          sessionSeconds: 30 * daySeconds
        })
        return {
          organizationId: workspace.organization.id,
          userId: workspace.userId,
          membershipId: workspace.membershipId,
          sessionId: workspace.session.id,
          token: workspace.token
        }
      }).pipe(sql.withTransaction, Effect.orDie)

    /** Removes a demo whose creation was interrupted. */
    const dropHalfMadeDemo = repo.dropHalfMadeDemo(sql).pipe(Effect.orDie)

    return { workspace, previewClaim, acceptClaim, seedWorkspace, dropHalfMadeDemo } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
