import * as Links from "@orgplane/schema/marketplace-links"
import { MarketplaceNotFound } from "@orgplane/schema/marketplaces"
import type { Caller, Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { demandLevel } from "../../identity/access/service.ts"
import { momentOf } from "../../infra/audit/moment.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { Settings } from "../../infra/config/settings.ts"
import { sha256, sha256Bytes } from "../../infra/crypto/digest.ts"
import { isToken, makeToken } from "../../infra/crypto/tokens.ts"
import { type Holder, levels } from "../../identity/grants/index.ts"
import { PresentedLinkToken, redacted } from "../../infra/http/link-token.ts"
import { makeId } from "../../infra/ids.ts"
import { CredentialGate } from "../../infra/limits/credential-gate.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { PluginArchives } from "../plugins/archive-service.ts"
import { callerNow } from "../../identity/roles/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import * as teams from "../../identity/teams/repo.ts"
import * as links from "./links-repo.ts"
import { makePublished } from "./published.ts"
import * as repo from "./repo.ts"

/** The first version of Claude Code that installs zip archives over https. */
const claudeCodeMin = "2.1.224"
const liveMax = 500

/** Marketplace links, with the access that a member or team has at the time of each request. */
export class MarketplaceLinks extends Context.Service<MarketplaceLinks>()("@orgplane/server/marketplaces/Links", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* organizationTransaction
    const pages = yield* Pages
    const limiter = yield* RateLimiter
    const gate = yield* CredentialGate
    const { mutate } = yield* Mutate
    const { publicUrl } = yield* Settings
    const archives = yield* PluginArchives
    const published = yield* makePublished

    const urlOf = (token: string) => `${publicUrl}/v1/marketplace-links/${token}`

    const find = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">) {
      const row = yield* repo.get(sql, caller, id)
      return row === undefined || row.level === 0 ? yield* new MarketplaceNotFound() : row
    })

    const creatorOf = (caller: Member): Effect.Effect<Id<"om">, Forbidden> =>
      caller.principal.kind === "session"
        ? Effect.succeed(caller.principal.membershipId)
        : Effect.fail(
            new Forbidden({ reason: "session_required", message: "An API key cannot create a link. Sign in." })
          )

    const expiryOf = Effect.fnUntraced(function* (text: string) {
      const millis = momentOf(text)
      if (millis === undefined) {
        return yield* InvalidRequest.at(
          ["body", "expiresAt"],
          "must be an ISO 8601 date and time with an offset or Z, such as 2030-01-31T12:00:00Z"
        )
      }
      if (millis <= (yield* Clock.currentTimeMillis)) {
        return yield* InvalidRequest.at(["body", "expiresAt"], "must be in the future")
      }
      return new Date(millis)
    })

    /** Creates a link. Its token is returned to the caller only once. */
    const create = Effect.fnUntraced(function* (
      caller: Member,
      marketplaceId: Id<"mkt">,
      input: typeof Links.CreateMarketplaceLink.Type
    ) {
      const { organizationId } = caller
      const { level } = yield* find(caller, marketplaceId)
      const createdBy = yield* creatorOf(caller)
      const teamId = input.teamId ?? null
      if (teamId !== null) {
        if ((yield* teams.find(sql, organizationId, teamId)) === undefined) {
          return yield* InvalidRequest.at(["body", "teamId"], "does not exist in the organization")
        }
        yield* demandLevel(level, "manager")
      }
      const expiresAt = input.expiresAt == null ? null : yield* expiryOf(input.expiresAt)
      const [id, token] = [makeId("mkl"), makeToken("opl")]
      const row = yield* mutate(
        caller,
        "marketplace.create_link",
        Effect.gen(function* () {
          // The lock prevents concurrent requests from exceeding the limit.
          if ((yield* repo.lock(sql, organizationId, marketplaceId)) === undefined) {
            return yield* new MarketplaceNotFound()
          }
          const now = yield* find(yield* callerNow(sql, caller, "marketplaces:read"), marketplaceId)
          if (teamId !== null) {
            yield* demandLevel(now.level, "manager")
            if ((yield* teams.lock(sql, organizationId, teamId)) === undefined) {
              return yield* InvalidRequest.at(["body", "teamId"], "does not exist in the organization")
            }
          }
          if ((yield* links.countLive(sql, organizationId, marketplaceId)) >= liveMax) {
            return yield* new Links.MarketplaceLinkQuotaExceeded()
          }
          yield* links.create(sql, organizationId, {
            id,
            marketplaceId,
            membershipId: teamId === null ? createdBy : null,
            teamId,
            name: input.name,
            digest: sha256Bytes(token),
            expiresAt,
            createdBy
          })
          return links.toWire(
            yield* expectRow(yield* links.find(sql, organizationId, marketplaceId, id), "marketplace link")
          )
        }),
        ({ expiresAt, name, teamId }) => ({
          target: marketplaceId,
          after: { linkId: id, name: digestOf(name), teamId, expiresAt }
        })
      )
      return { ...row, url: `${urlOf(token)}/marketplace.json`, minimumClientVersion: claudeCodeMin }
    })

    /**
     * The links that the caller can see: managers see all links, other members see their own, and an API key without
     * the manager level sees none.
     */
    const seenBy = (caller: Member, level: number): Id<"om"> | null | undefined =>
      level >= levels.manager ? null : caller.principal.kind === "session" ? caller.principal.membershipId : undefined

    const list = Effect.fnUntraced(function* (caller: Member, marketplaceId: Id<"mkt">, query: PageQuery) {
      const { level } = yield* find(caller, marketplaceId)
      const creator = seenBy(caller, level)
      return yield* pages.list(caller, query, {
        filters: { marketplaceId, creator },
        rows: (after, limit) =>
          creator === undefined
            ? Effect.succeed([])
            : links.list(sql, caller.organizationId, marketplaceId, creator, after, limit),
        toWire: links.toWire
      })
    })

    const revoke = Effect.fnUntraced(function* (caller: Member, marketplaceId: Id<"mkt">, id: Id<"mkl">) {
      const { level } = yield* find(caller, marketplaceId)
      const creator = seenBy(caller, level)
      yield* mutate(
        caller,
        "marketplace.revoke_link",
        Effect.gen(function* () {
          const row = yield* links.find(sql, caller.organizationId, marketplaceId, id)
          const isSeen = row !== undefined && (creator === null || row.created_by_membership_id === creator)
          if (!isSeen || row.revoked_at !== null) return yield* new Links.MarketplaceLinkNotFound()
          yield* links.revoke(sql, caller.organizationId, id)
        }),
        () => ({ target: marketplaceId, before: { linkId: id } })
      )
    })

    /**
     * The link of this request's token, with the access of its member or team. `segment` is the path segment of the
     * token.
     */
    const linked = Effect.fnUntraced(function* (caller: Caller, segment: string) {
      const token = yield* PresentedLinkToken
      const { address } = caller.request
      const attempt = { limit: limits.marketplaceLinkFailure, address, credential: token, isImmutable: false }
      const link = yield* gate.lookUp(
        caller.request,
        attempt,
        Effect.gen(function* () {
          // A token is recognized only as a complete path segment.
          const isPresented = segment === redacted && isToken("opl", token)
          const row = isPresented ? yield* links.byToken(sql, sha256Bytes(token)) : undefined
          if (row === undefined) return undefined
          const member = yield* archives.holderOf({
            organizationId: row.organization_id,
            holder: row.created_by_membership_id
          })
          return member === undefined ? undefined : { row, member }
        })
      )
      if (link === undefined) {
        // Only failures count toward the limit, so a valid link is never refused because of other requests from its
        // address.
        yield* limiter.take(caller.request, limits.marketplaceLinkFailure, address)
        return yield* new Links.MarketplaceLinkNotFound()
      }
      const { member, row } = link
      yield* limiter.take(caller.request, limits.marketplaceLink, row.id)
      const holder: Holder =
        row.team_id === null
          ? member
          : {
              organizationId: row.organization_id,
              isAdmin: false,
              principal: { kind: "team", teamId: row.team_id }
            }
      yield* fenced(row.organization_id, links.noteUse(sql, row.organization_id, row.id))
      return { holder, marketplaceId: row.marketplace_id, token }
    })

    const manifest = Effect.fnUntraced(function* (caller: Caller, segment: string) {
      const { holder, marketplaceId, token } = yield* linked(caller, segment)
      const marketplace = yield* repo.seen(sql, holder, marketplaceId)
      if (marketplace === undefined) return yield* new Links.MarketplaceLinkNotFound()
      const offered = yield* archives.offerTo(holder, marketplaceId, "zip")
      const document = yield* published(
        holder.organizationId,
        marketplace,
        offered.map((one) => ({ ...one, url: `${urlOf(token)}/plugins/${one.pluginId}` }))
      )
      return { item: document, version: sha256(JSON.stringify(document)) }
    })

    const download = Effect.fnUntraced(function* (caller: Caller, segment: string, pluginId: Id<"plg">) {
      const { holder, marketplaceId } = yield* linked(caller, segment)
      return yield* archives.downloadOffered(holder, marketplaceId, pluginId)
    })

    return { create, list, revoke, manifest, download } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
