import * as State from "@orgplane/schema/desired-state"
import { MemberNotFound } from "@orgplane/schema/members"
import type { ArchiveFormat } from "@orgplane/schema/plugin-archives"
import type { Member, WorkerCaller } from "@orgplane/schema/shared/caller"
import { OrganizationNotFound, Unavailable } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isAdminRole, permissionsOf } from "../../identity/auth/permissions.ts"
import { OwnDesktopPolicy } from "../../identity/users/own-policy.ts"
import { BoundedMap } from "../../infra/bounded-map.ts"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { Settings } from "../../infra/config/settings.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as assignments from "../assignments/repo.ts"
import { groupByTarget } from "../assignments/resolve.ts"
import { makeNames } from "../marketplaces/published.ts"
import { PluginArchives } from "../plugins/archive-service.ts"
import { blockedTargetsOf } from "./blocked.ts"
import { readBlocked } from "./blocked-repo.ts"
import { makeEpochs } from "./changes.ts"
import * as repo from "./repo.ts"
import { shownTo } from "./shown.ts"
import { type Content, contentOf, isTorn, type Period, periodOf } from "./state.ts"

const format: ArchiveFormat = repo.format
/** How often a state is read again if another request stored newer content meanwhile. */
const triesMax = 3
const entriesMax = 20_000
/**
 * A state with a plugin whose release is being checked is read again after this time. The result of a check is not always
 * audited.
 */
const unsettledMillis = 30_000

const readPlugins = repo.readPlugins(State.pluginsMax + 1)
const readOthers = repo.readOthers({
  plugins: State.pluginsMax + 1,
  marketplaces: State.marketplacesMax + 1,
  connections: State.connectionsMax + 1,
  providers: State.providersMax + 1
})

/** Whose state is read: a member, or a worker of the member. */
interface Subject {
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  readonly workerId: Id<"wrk"> | null
}

/** The state with the highest revision that a subject received from this process. */
interface Entry {
  /** Everything that the state depends on. */
  readonly basis: string
  readonly etag: string
  readonly until: number
  readonly revision: number
}

/** A state as it is sent, or the fact that the client has it. */
export type Issued =
  | { readonly kind: "unchanged"; readonly etag: string }
  | {
      readonly kind: "state"
      /** The SHA-256 of the body. */
      readonly etag: string
      readonly body: string
      readonly keyId: string
      readonly signature: Buffer
    }

const encoder = new TextEncoder()

const subjectOf = (caller: Member | WorkerCaller): Subject => {
  const { organizationId } = caller
  if (caller.kind === "worker") {
    return { organizationId, membershipId: caller.createdByMembershipId, workerId: caller.workerId }
  }
  const { principal } = caller
  if (principal.kind === "key") throw new Error("An API key requested a desired state.")
  return { organizationId, membershipId: principal.membershipId, workerId: null }
}

const idOf = ({ membershipId, workerId }: Subject): string => workerId ?? membershipId

const observable = ({ membershipId, organizationId, workerId }: Subject) => ({
  organizationId,
  membershipId,
  workerId: workerId ?? ""
})

/** The plugins that a device with this state should have installed. */
const pluginSetOf = ({ plugins }: Content): repo.PluginSet => {
  const json = canonicalJson(
    plugins.flatMap(({ digest, enabled, pluginId, sha256: archive, version }) =>
      enabled && archive !== null ? [{ pluginId, sha256: archive, digest, version }] : []
    )
  )
  return { digest: sha256(json), json }
}

/** The member of a state as a caller. For a worker, the member who created it. */
const memberOf = (
  caller: Member | WorkerCaller,
  { membershipId, organizationId }: Subject,
  { role, role_permissions, user_id: userId }: repo.Observation
): Member => ({
  kind: "member",
  organizationId,
  principal: { kind: "session", sessionId: null, userId, membershipId },
  isAdmin: isAdminRole(role),
  isOwner: role === "owner",
  permissions: permissionsOf(role, role_permissions),
  provisional: false,
  hasManagedObjects: false,
  plan: caller.plan,
  request: caller.request
})

const changesTooOften = () =>
  retryAfter(new Unavailable({ message: "The state changes too often at the moment. Repeat the request." }), 1)

/** Computes, signs and issues the desired states of members and workers. */
export class DesiredStateService extends Context.Service<DesiredStateService>()("@orgplane/server/delivery/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const { publicUrl } = yield* Settings
    const archives = yield* PluginArchives
    const policies = yield* OwnDesktopPolicy
    const signingKeys = yield* SigningKeys
    const names = yield* makeNames
    const observe = makeEpochs((organizationId, from, limit) => repo.eventsFrom(sql, organizationId, from, limit))
    const entries = new BoundedMap<string, Entry>(entriesMax)

    /** Marketplaces with the names that they and their plugins have in `marketplace.json`, assigned if necessary. */
    const named = (organizationId: Id<"org">, rows: ReadonlyArray<repo.MarketplaceRow>) =>
      Effect.forEach(
        rows,
        Effect.fnUntraced(function* (row) {
          const unnamed = row.plugins.filter(({ name }) => name === null)
          if (row.name !== null && unnamed.length === 0) return row
          const name = row.name ?? (yield* names.nameOf(organizationId, { id: row.id, name: row.title }))
          const ids = unnamed.map(({ id }) => id)
          const given = ids.length === 0 ? undefined : yield* names.namesOf(organizationId, row.id, ids)
          const plugins = row.plugins.map((plugin) => ({
            ...plugin,
            name: plugin.name ?? given?.get(plugin.id) ?? null
          }))
          return { ...row, name, plugins }
        })
      )

    /** Undefined if a change was committed while the content was read. */
    const readContent = Effect.fnUntraced(function* (subject: Subject, member: Member) {
      const { membershipId, organizationId } = subject
      let pluginsRead = 0
      const listed = Effect.tap(readPlugins(sql, member), (rows) =>
        Effect.sync(() => {
          pluginsRead = rows.length
        })
      )
      const [plugins, others, policy, applied] = yield* Effect.all(
        [
          archives.offerRows(organizationId, format, listed),
          readOthers(sql, member),
          policies.get(member, { explain: "true" }),
          assignments.applied(sql, organizationId, membershipId)
        ],
        { concurrency: "unbounded" }
      )
      if (others === undefined || applied === undefined) return yield* new OrganizationNotFound()
      const grouped = groupByTarget(applied.candidates)
      if (isTorn(grouped, plugins)) return undefined
      const marketplaces = yield* named(organizationId, others.marketplaces)
      // Afterwards, because it reads the names that were just assigned.
      const targets = blockedTargetsOf(applied.candidates)
      const content = contentOf({
        ...subject,
        permissions: member.permissions,
        policy,
        plugins,
        pluginsRead,
        others,
        marketplaces,
        blocked: targets === undefined ? [] : yield* readBlocked(sql, organizationId, targets, State.blockedMax + 1),
        applied: grouped,
        publicUrl
      })
      const isSettled = plugins.every(({ row }) => !row.has_checks && (!row.is_gated || row.release_digest !== null))
      return { content, isSettled }
    })

    /** The revision of the content; undefined if another request may have stored newer content since the observation. */
    const revisionOf = Effect.fnUntraced(function* (
      subject: Subject,
      observed: repo.Observation,
      content: Content,
      digest: string
    ) {
      // After the database was replaced by an older copy, its last revision may be lower than one that was issued.
      const issued = entries.get(idOf(subject))?.revision ?? 0
      const last = observed.revision
      if (last !== null && last >= issued && observed.digest === digest) return last
      const plugins = pluginSetOf(content)
      const revision = { ...observable(subject), digest, plugins, last, least: issued + 1 }
      return yield* repo.nextRevision(sql, revision)
    })

    const stateOf = (
      { organizationId, membershipId }: Subject,
      { plugins, ...content }: Content,
      revision: number,
      period: Period,
      signingKeyId: string
    ): State.DesiredState => {
      const expires = String(Math.floor(period.endsAt / 1000))
      return {
        ...content,
        revision,
        generatedAt: new Date(period.startsAt).toISOString(),
        validUntil: new Date(period.endsAt).toISOString(),
        signingKeyId,
        plugins: plugins.map(({ sha256: digest, ...plugin }): State.DesiredPlugin => {
          if (digest === null) return { ...plugin, archive: null }
          const link = {
            organizationId,
            pluginId: plugin.pluginId,
            holder: membershipId,
            sha256: digest,
            format,
            expires
          }
          return { ...plugin, archive: { url: archives.linkTo(link), format, sha256: digest } }
        })
      }
    }

    const remember = (key: string, entry: Entry) => {
      if ((entries.get(key)?.revision ?? 0) <= entry.revision) entries.set(key, entry)
    }

    /**
     * The state of the caller. `isCurrent` returns whether the client has the state with an `ETag`. If nothing has changed
     * since this process issued the state, that takes one statement.
     */
    const issue = Effect.fnUntraced(function* (caller: Member | WorkerCaller, isCurrent: (etag: string) => boolean) {
      const subject = subjectOf(caller)
      const subjectId = idOf(subject)
      for (let tries = 0; tries < triesMax; tries += 1) {
        const now = yield* Clock.currentTimeMillis
        // Everything else is read after the observation, so the content is never older than its basis.
        const observation = yield* observe(subject.organizationId, repo.observe(sql, observable(subject)))
        if (observation === undefined) return yield* new OrganizationNotFound()
        const { epoch, observed } = observation
        const signingKeyId = observed.signing_key_id ?? (yield* signingKeys.currentId)
        const period = periodOf(sha256(subjectId), now)
        // The epoch may be newer than the role that was observed, so the role is a part of the basis.
        const basis = JSON.stringify([epoch, period.number, signingKeyId, observed.role, observed.role_permissions])
        const entry = entries.get(subjectId)
        if (entry !== undefined && entry.basis === basis && now < entry.until && isCurrent(entry.etag)) {
          return { kind: "unchanged", etag: entry.etag } satisfies Issued
        }
        const read = yield* readContent(subject, memberOf(caller, subject, observed))
        if (read === undefined) continue
        const { content, isSettled } = read
        const digest = sha256(canonicalJson(content))
        const revision = yield* revisionOf(subject, observed, content, digest)
        if (revision === undefined) continue
        const state = stateOf(subject, content, revision, period, signingKeyId)
        const body = canonicalJson(state)
        const etag = sha256(body)
        const until = isSettled ? Number.POSITIVE_INFINITY : now + unsettledMillis
        remember(subjectId, { basis, etag, until, revision })
        const signature = yield* signingKeys.signBytesWith(signingKeyId, encoder.encode(State.signedText(state, etag)))
        return { kind: "state", etag, body, keyId: signingKeyId, signature } satisfies Issued
      }
      return yield* changesTooOften()
    })

    /** The state of any member, as another caller may see it. It is not issued, so its revision stays as it is. */
    const getMember = Effect.fnUntraced(
      function* (caller: Member, membershipId: Id<"om">) {
        const subject: Subject = { organizationId: caller.organizationId, membershipId, workerId: null }
        for (let tries = 0; tries < triesMax; tries += 1) {
          const observed = yield* repo.observe(sql, observable(subject))
          if (observed === undefined) return yield* new MemberNotFound()
          const read = yield* readContent(subject, memberOf(caller, subject, observed))
          if (read !== undefined) return yield* shownTo(sql, caller, read.content, observed.revision)
        }
        return yield* changesTooOften()
      },
      // The member was removed meanwhile.
      Effect.catchTag("OrganizationNotFound", () => Effect.fail(new MemberNotFound()))
    )

    return { issue, getMember } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
