import type { Session } from "@orgplane/schema/sessions"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { makeId } from "../../infra/ids.ts"
import type { HostIdentity } from "../../infra/ports/authenticator.ts"
import { Notices } from "../../infra/sql/notices.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { permissionsFrom, permissionsOf } from "./permissions.ts"
import * as repo from "./repo.ts"
import { endsWithMembership, satisfiesSso, isBound } from "./sessions.ts"

/** A user, and their membership of the organization that the request concerns, if there is one. */
export interface Person {
  readonly kind: "person"
  readonly userId: Id<"usr">
  readonly sessionId: Id<"ses"> | null
  /** Null for a user of the host application. */
  readonly sessionKind: Session["kind"] | null
  /** The API key that created the session. The session is valid as long as the key may create sessions. */
  readonly mintedBy: Id<"key"> | null
  /** The only organization that the session is valid for. */
  readonly boundTo: Id<"org"> | null
  /** The organization of the session, regardless of the request: a session may end with its membership there. */
  readonly sessionOrganizationId: Id<"org"> | null
  readonly verifiedEmail: string | null
  /** When the user signed in, in epoch milliseconds; null when the host does not report it. */
  readonly signedInAt: number | null
  /** When the credential expires, in epoch milliseconds. */
  readonly validUntil: number
  readonly membership: Membership | null
}

export interface Membership {
  readonly id: Id<"om">
  readonly organizationId: Id<"org">
  readonly role: string
  readonly plan: string
  readonly provisional: boolean
  readonly hasManagedObjects: boolean
  readonly permissions: ReadonlySet<Permission>
  /** The organization requires single sign-on, and this session was not created by it. */
  readonly ssoRequired: boolean
}

/**
 * An API key. Its rights are its own: they did not exceed its creator's when it was created, and later changes to the
 * creator do not affect them.
 */
export interface Key {
  readonly kind: "key"
  readonly keyId: Id<"key">
  readonly organizationId: Id<"org">
  readonly permissions: ReadonlySet<Permission>
  readonly requestsPerMinute: number
  readonly plan: string
  readonly provisional: boolean
  readonly hasManagedObjects: boolean
  readonly validUntil: number
}

/** A worker with its own token, which ends with the membership of the worker's owner. */
export interface Worker {
  readonly kind: "worker"
  readonly tokenId: Id<"wkt">
  readonly workerId: Id<"wrk">
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  readonly userId: Id<"usr">
  readonly plan: string
  readonly validUntil: number
}

/** A SCIM directory, by one of its tokens. */
export interface Directory {
  readonly kind: "directory"
  readonly tokenId: Id<"sct">
  readonly directoryId: Id<"scd">
  readonly organizationId: Id<"org">
  readonly plan: string
  readonly validUntil: number
}

export type Credential = Person | Key | Worker | Directory

interface CacheEntry {
  readonly credential: Credential
  readonly until: number
}

/** Whether a change to the subject affects the credential. */
const isAbout = (credential: Credential, subject: string): boolean => {
  if (credential.kind === "key") return credential.keyId === subject || credential.organizationId === subject
  if (credential.kind === "worker") {
    return [
      credential.workerId,
      credential.tokenId,
      credential.organizationId,
      credential.membershipId,
      credential.userId
    ].some((id) => id === subject)
  }
  if (credential.kind === "directory") {
    return [credential.tokenId, credential.directoryId, credential.organizationId].some((id) => id === subject)
  }
  const { membership, mintedBy, sessionId, sessionOrganizationId, userId } = credential
  return (
    mintedBy === subject ||
    sessionId === subject ||
    userId === subject ||
    sessionOrganizationId === subject ||
    membership?.id === subject ||
    membership?.organizationId === subject ||
    membership?.role === subject
  )
}

/**
 * The cache key of a credential. The kind comes first, so that a token that a caller sends is only looked up among
 * tokens, never among the users of the host.
 */
const entryOf = (
  kind: "session" | "host" | "key" | "worker" | "directory",
  credential: string,
  requestedId: Id<"org"> | null = null
) => `${kind}/${requestedId ?? ""}/${credential}`

/**
 * Whether the user is not a member of the organization that the request names. That is not cached: callers can invent
 * names without end, and would evict valid entries.
 */
const isRefusal = (credential: Credential, requestedId: Id<"org"> | null) =>
  requestedId !== null && credential.kind === "person" && credential.membership === null

const hourOf = (millis: number) => Math.floor(millis / 3_600_000)
const dayMillis = 86_400_000
const dayOf = (millis: number) => Math.floor(millis / dayMillis)

/** How long an entry is used without querying the database again. */
const lifetimeMillis = 30_000
const entriesMax = 20_000
/** After this time without a notification heartbeat, a revocation may have been missed. */
const silenceMillisMax = 3000
export const revocationChannel = "orgplane_revocations"

/**
 * Looks up credentials and caches them briefly. A revocation takes effect in this process immediately, and in other
 * processes when they receive the notification. A process that has missed the notification heartbeat queries the
 * database for every request.
 */
export class Principals extends Context.Service<Principals>()("@orgplane/server/auth/Principals", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const notices = yield* Notices
    const entries = new Map<string, CacheEntry>()
    // A load that started before a revocation must not restore the revoked entry.
    let generation = 0
    /**
     * The interruption of the notification connection after which the cache was cleared. No notification has been
     * missed since.
     */
    let listeningSince: number | undefined

    /** The hour in which the use of a key or of a SCIM token was last recorded. */
    const usageHours = new Map<string, number>()

    /**
     * Evicts the entries of a subject in this process. Call it after the commit, so that the next request reads the
     * new state.
     */
    const forget = (subject: string) => {
      generation += 1
      for (const [key, { credential }] of entries)
        if (subject === "*" || isAbout(credential, subject)) entries.delete(key)
    }
    yield* notices.subscribe(revocationChannel).pipe(
      Stream.runForEach((notice) =>
        Effect.sync(() => {
          // `Listening` means that notifications may have been missed.
          forget(notice._tag === "Listening" ? "*" : notice.payload)
          if (notice._tag === "Listening") listeningSince = notices.cutsUnsafe()
        })
      ),
      Effect.forkScoped
    )
    // An embedded database has one process, which evicts what it revokes.
    const isSingleProcess = sql.config.stream !== undefined

    const isListening = (now: number): boolean => {
      if (isSingleProcess) return true
      const lastHeard = notices.lastHeardUnsafe()
      // A clock that was set back does not make an entry fresh.
      return (
        lastHeard !== undefined &&
        Math.abs(now - lastHeard) < silenceMillisMax &&
        listeningSince === notices.cutsUnsafe()
      )
    }

    const readCache = (key: string, now: number): Credential | undefined => {
      const entry = entries.get(key)
      return entry !== undefined && entry.until > now && isListening(now) ? entry.credential : undefined
    }

    const loadCached = <K extends Credential, E, R>(
      key: string,
      load: Effect.Effect<K | undefined, E, R>,
      requestedId: Id<"org"> | null = null
    ) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        // The cache key contains the kind of credential, so the entry has that kind.
        const cachedCredential = readCache(key, now)
        if (cachedCredential !== undefined) return cachedCredential as K
        const generationBefore = generation
        const credential = yield* load
        // A credential that no longer exists in the database is also removed from the cache, so that it is not used
        // when this process receives notifications again.
        if (credential === undefined) entries.delete(key)
        if (credential !== undefined && generationBefore === generation && !isRefusal(credential, requestedId)) {
          if (entries.size >= entriesMax) entries.clear()
          // Entries expire at midnight UTC at the latest, so that a user is recorded as active on the new day.
          const midnight = (dayOf(now) + 1) * dayMillis
          entries.set(key, {
            credential: credential,
            until: Math.min(now + lifetimeMillis, credential.validUntil, midnight)
          })
        }
        return credential
      })

    /** The day on which a user was last recorded as active in an organization, or in none. */
    const activityDays = new Map<string, number>()

    /** Records that a user is active, once a day per process. A failure does not refuse the request. */
    const noteDay = Effect.fnUntraced(function* (person: Person) {
      const now = yield* Clock.currentTimeMillis
      const organizationId = person.membership?.organizationId ?? ""
      const activityKey = `${organizationId}/${person.userId}`
      if (activityDays.get(activityKey) === dayOf(now)) return
      if (activityDays.size >= entriesMax) activityDays.clear()
      yield* repo.noteDay(sql, organizationId, person.userId, new Date(now)).pipe(
        Effect.matchCauseEffect({
          onSuccess: () => Effect.sync(() => activityDays.set(activityKey, dayOf(now))),
          onFailure: (cause) => Effect.logWarning("Cannot record the activity of a user.", cause)
        })
      )
    })

    const membershipFrom = (row: repo.MembershipRow, kind: Session["kind"] | null): Membership => ({
      id: row.id,
      organizationId: row.organization_id,
      role: row.role,
      plan: row.plan,
      provisional: row.provisional,
      hasManagedObjects: row.has_managed_objects,
      permissions: permissionsOf(row.role, row.role_permissions),
      ssoRequired: row.sso_enforced && !satisfiesSso(kind, row.breaks_glass)
    })

    const membershipOf = (userId: Id<"usr">, organizationId: Id<"org"> | null, kind: Session["kind"] | null) =>
      Effect.map(repo.memberships(sql, userId, organizationId), ([row, ...others]) =>
        // With several memberships and none selected, the request concerns no organization.
        row === undefined || others.length > 0 ? null : membershipFrom(row, kind)
      )

    /** What `bySession` would return for the session's own organization, if it is cached. */
    const cachedSession = (token: string, now: number): Person | undefined => {
      const credential = readCache(entryOf("session", token), now)
      return credential?.kind === "person" ? credential : undefined
    }

    /** The user with this session token, in the requested organization or the session's own. */
    const bySession = (token: string, requestedId: Id<"org"> | null) =>
      loadCached(
        entryOf("session", token, requestedId),
        Effect.gen(function* () {
          const session = yield* repo.findSession(sql, sha256Bytes(token))
          if (session === undefined) return undefined
          const sessionOrganizationId = session.organization_id
          const boundTo = isBound(session.kind) ? sessionOrganizationId : null
          const organizationId = requestedId ?? sessionOrganizationId
          const sessionMembership = session.membership && membershipFrom(session.membership, session.kind)
          // A session that was created for a membership ends with it, also when the request concerns no organization.
          if (endsWithMembership(session.kind) && sessionMembership === null) return undefined
          const isElsewhere = boundTo !== null && requestedId !== null && boundTo !== requestedId
          const membership = isElsewhere
            ? null
            : organizationId !== null && organizationId === sessionOrganizationId
              ? sessionMembership
              : yield* membershipOf(session.user_id, organizationId, session.kind)
          const extendedUntil = session.is_due ? yield* repo.extendSession(sql, session.id) : undefined
          const expiresAt = extendedUntil ?? session.expires_at
          const person: Person = {
            kind: "person",
            userId: session.user_id,
            sessionId: session.id,
            sessionKind: session.kind,
            mintedBy: session.minted_by_key_id,
            boundTo,
            sessionOrganizationId,
            verifiedEmail: session.verified_email,
            signedInAt: session.created_at.getTime(),
            validUntil: expiresAt.getTime(),
            membership
          }
          yield* noteDay(person)
          return person
        }),
        requestedId
      )

    /** The user that the host application identifies. */
    const byHost = (identity: HostIdentity, requestedId: Id<"org"> | null) =>
      loadCached(
        entryOf("host", identity.subject, requestedId),
        Effect.gen(function* () {
          const userId = yield* repo.userOfSubject(sql, makeId("usr"), identity)
          const membership = yield* membershipOf(userId, requestedId, null)
          const person: Person = {
            kind: "person",
            userId,
            sessionId: null,
            sessionKind: null,
            mintedBy: null,
            boundTo: null,
            sessionOrganizationId: null,
            verifiedEmail: null,
            signedInAt: null,
            validUntil: Number.POSITIVE_INFINITY,
            membership
          }
          yield* noteDay(person)
          return person
        }),
        requestedId
      ).pipe(
        // The host's current statement about the email address takes precedence over the cached user.
        Effect.map(
          (person) =>
            person && {
              ...person,
              verifiedEmail: identity.emailVerified ? identity.email : null,
              signedInAt: identity.authenticatedAt?.getTime() ?? null
            }
        )
      )

    /** What `byKey` would return, if it is cached and its use does not have to be recorded. */
    const cachedKey = (token: string, now: number): Key | undefined => {
      const credential = readCache(entryOf("key", token), now)
      return credential?.kind === "key" && usageHours.get(credential.keyId) === hourOf(now) ? credential : undefined
    }

    /**
     * Records that a credential is used, to the hour and once an hour per process. A failure does not refuse the
     * request.
     */
    const noteUse = Effect.fnUntraced(function* <E, R>(id: string, write: Effect.Effect<unknown, E, R>) {
      const hour = hourOf(yield* Clock.currentTimeMillis)
      if (usageHours.get(id) === hour) return
      if (usageHours.size >= entriesMax) usageHours.clear()
      usageHours.set(id, hour)
      yield* write.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Cannot record the use of a credential.", cause))
      )
    })

    /** The API key with this secret. */
    const byKey = (token: string) =>
      loadCached(
        entryOf("key", token),
        Effect.gen(function* () {
          const row = yield* repo.findKey(sql, sha256Bytes(token))
          if (row === undefined) return undefined
          const key: Key = {
            kind: "key",
            keyId: row.id,
            organizationId: row.organization_id,
            permissions: permissionsFrom(row.permissions_json),
            requestsPerMinute: row.requests_per_minute,
            plan: row.plan,
            provisional: row.provisional,
            hasManagedObjects: row.has_managed_objects,
            validUntil: row.good_until?.getTime() ?? Number.POSITIVE_INFINITY
          }
          return key
        })
      ).pipe(
        Effect.tap((key) =>
          key === undefined ? Effect.void : noteUse(key.keyId, repo.noteKeyUse(sql, key.organizationId, key.keyId))
        )
      )

    /** What `byWorker` would return, if it is cached. */
    const cachedWorker = (token: string, now: number): Worker | undefined => {
      const credential = readCache(entryOf("worker", token), now)
      return credential?.kind === "worker" ? credential : undefined
    }

    /** The worker with this token. */
    const byWorker = (token: string) =>
      loadCached(
        entryOf("worker", token),
        Effect.gen(function* () {
          const row = yield* repo.findWorker(sql, sha256Bytes(token))
          if (row === undefined) return undefined
          const worker: Worker = {
            kind: "worker",
            tokenId: row.id,
            workerId: row.worker_id,
            organizationId: row.organization_id,
            membershipId: row.created_by_membership_id,
            userId: row.created_by_user_id,
            plan: row.plan,
            validUntil: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY
          }
          return worker
        })
      )

    /** What `byDirectory` would return, if it is cached and its use does not have to be recorded. */
    const cachedDirectory = (token: string, now: number): Directory | undefined => {
      const credential = readCache(entryOf("directory", token), now)
      return credential?.kind === "directory" && usageHours.get(credential.tokenId) === hourOf(now)
        ? credential
        : undefined
    }

    /** The directory with this SCIM token. */
    const byDirectory = (token: string) =>
      loadCached(
        entryOf("directory", token),
        Effect.gen(function* () {
          const row = yield* repo.findDirectory(sql, sha256Bytes(token))
          if (row === undefined) return undefined
          const directory: Directory = {
            kind: "directory",
            tokenId: row.id,
            directoryId: row.directory_id,
            organizationId: row.organization_id,
            plan: row.plan,
            validUntil: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY
          }
          return directory
        })
      ).pipe(
        Effect.tap((credential) =>
          credential === undefined
            ? Effect.void
            : noteUse(
                credential.tokenId,
                repo.noteDirectoryUse(sql, credential.organizationId, credential.directoryId, credential.tokenId)
              )
        )
      )

    /**
     * Notifies every process that a session, user, membership, organization, role, key, worker, directory or token
     * changed. Call it inside the transaction of the change: the notification is sent only if it commits, even if this
     * process stops right after.
     */
    const announce = (subject: string) => notices.publish(revocationChannel, subject)

    return {
      bySession,
      byHost,
      byKey,
      byWorker,
      byDirectory,
      cachedSession: cachedSession,
      cachedKey: cachedKey,
      cachedWorker: cachedWorker,
      cachedDirectory: cachedDirectory,
      announce,
      forget
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
