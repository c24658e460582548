import type { Session } from "@orgplane/schema/sessions"
import type { Id } from "@orgplane/schema/shared/ids"
import { type BuiltInRole, builtInRoles, type Permission } from "@orgplane/schema/shared/permissions"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { sha256Bytes } from "../crypto/digest.ts"
import { makeId } from "../ids.ts"
import type { HostIdentity } from "../ports/authenticator.ts"
import { Notices } from "../sql/notices.ts"
import { SqlDatabase } from "../sql/client.ts"
import * as repo from "./repo.ts"
import { endsWithMembership, isBound } from "./sessions.ts"

/** A person, and the membership of the organization the request is about, if there is one. */
export interface Person {
  readonly userId: Id<"usr">
  readonly sessionId: Id<"ses"> | null
  /** Null for a person of the host application. */
  readonly sessionKind: Session["kind"] | null
  /** The one organization the session is good for. */
  readonly boundTo: Id<"org"> | null
  readonly verifiedEmail: string | null
  /** When the credential itself ends, in epoch milliseconds. */
  readonly goodUntil: number
  readonly membership: Membership | null
}

export interface Membership {
  readonly id: Id<"om">
  readonly organizationId: Id<"org">
  readonly role: string
  readonly plan: string
  readonly provisional: boolean
  readonly permissions: ReadonlySet<Permission>
}

interface Entry {
  readonly person: Person
  readonly until: number
}

/** Nothing is believed longer than this without asking the database again. */
const lifetimeMillis = 30_000
const entriesMax = 20_000
/** Without a word from the notices for so long, a revocation may have been missed. */
const deafMillis = 3000
export const revocationChannel = "orgplane_revocations"

const noPermissions: ReadonlySet<Permission> = new Set()
const permissionsByRole = new Map<string, ReadonlySet<Permission>>(
  Object.entries(builtInRoles).map(([role, permissions]) => [role, new Set<Permission>(permissions)])
)
export const permissionsOf = (role: string): ReadonlySet<Permission> => permissionsByRole.get(role) ?? noPermissions
export const isBuiltIn = (role: string): role is BuiltInRole => permissionsByRole.has(role)

/**
 * Who stands behind a credential, remembered for a moment. A revocation is known to this process at once and to the
 * others by a notice; a process that has not heard the notices' heartbeat asks the database at every request.
 */
export class Principals extends Context.Service<Principals>()("@orgplane/server/auth/Principals", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const notices = yield* Notices
    const entries = new Map<string, Entry>()
    // A fill that began before a revocation must not bring the revoked entry back.
    let generation = 0

    const forget = (subject: string) => {
      generation += 1
      for (const [key, { person }] of entries) {
        const { membership, sessionId, userId } = person
        if (
          subject === "*" ||
          sessionId === subject ||
          userId === subject ||
          membership?.id === subject ||
          membership?.organizationId === subject
        ) {
          entries.delete(key)
        }
      }
    }
    yield* notices.subscribe(revocationChannel).pipe(
      // `Listening` says that notices may have been missed.
      Stream.runForEach((notice) => Effect.sync(() => forget(notice._tag === "Listening" ? "*" : notice.payload))),
      Effect.forkScoped
    )
    // An embedded database has one process, and what that revokes it forgets itself.
    const isAlone = sql.config.stream !== undefined

    const remembered = <E, R>(key: string, load: Effect.Effect<Person | undefined, E, R>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const heard = yield* notices.lastHeard
        const isFresh = isAlone || (heard !== undefined && now - heard < deafMillis)
        const entry = entries.get(key)
        if (isFresh && entry !== undefined && entry.until > now) return entry.person
        const began = generation
        const person = yield* load
        if (person !== undefined && began === generation) {
          if (entries.size >= entriesMax) entries.clear()
          entries.set(key, { person, until: Math.min(now + lifetimeMillis, person.goodUntil) })
        }
        return person
      })

    const membershipOf = Effect.fnUntraced(function* (userId: Id<"usr">, organizationId: Id<"org"> | null) {
      const rows = yield* repo.memberships(sql, userId, organizationId)
      // With several and none chosen the request is about no organization at all.
      const row = rows.length === 1 ? rows[0] : undefined
      return row === undefined
        ? null
        : {
            id: row.id,
            organizationId: row.organization_id,
            role: row.role,
            plan: row.plan,
            provisional: row.provisional,
            permissions: permissionsOf(row.role)
          }
    })

    /** The person with this session token, about the organization named, or the session's own. */
    const bySession = (token: string, named: Id<"org"> | null) =>
      remembered(
        `${token}/${named ?? ""}`,
        Effect.gen(function* () {
          const session = yield* repo.findSession(sql, sha256Bytes(token))
          if (session === undefined) return undefined
          const chosen = session.organization_id
          const boundTo = isBound(session.kind) ? chosen : null
          const asked = named ?? chosen
          const own =
            endsWithMembership(session.kind) && chosen !== null ? yield* membershipOf(session.user_id, chosen) : null
          // What was given with a membership ends with it, also where no organization is asked for.
          if (endsWithMembership(session.kind) && own === null) return undefined
          const isElsewhere = boundTo !== null && named !== null && boundTo !== named
          const membership = isElsewhere
            ? null
            : asked === own?.organizationId
              ? own
              : yield* membershipOf(session.user_id, asked)
          const prolonged = session.is_due ? yield* repo.prolongSession(sql, session.id) : undefined
          const expiresAt = prolonged ?? session.expires_at
          return {
            userId: session.user_id,
            sessionId: session.id,
            sessionKind: session.kind,
            boundTo,
            verifiedEmail: session.verified_email,
            goodUntil: expiresAt.getTime(),
            membership
          }
        })
      )

    /** The person the host vouches for. */
    const byHost = (identity: HostIdentity, named: Id<"org"> | null) =>
      remembered(
        `host/${identity.subject}/${named ?? ""}`,
        Effect.gen(function* () {
          const userId = yield* repo.userOfSubject(sql, makeId("usr"), identity)
          const membership = yield* membershipOf(userId, named)
          return {
            userId,
            sessionId: null,
            sessionKind: null,
            boundTo: null,
            verifiedEmail: null,
            goodUntil: Number.POSITIVE_INFINITY,
            membership
          }
        })
      ).pipe(
        // What the host says of the address now is what counts, whatever is remembered of the person.
        Effect.map((person) => person && { ...person, verifiedEmail: identity.emailVerified ? identity.email : null })
      )

    /** Forgets everything about a session, user, membership or organization here and in the other processes. */
    const revoked = (subject: string) =>
      Effect.andThen(
        Effect.sync(() => forget(subject)),
        notices.publish(revocationChannel, subject)
      )

    return { bySession, byHost, revoked } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
