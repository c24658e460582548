import * as Memory from "@orgplane/schema/memory"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { linesOf } from "../../infra/http/lines.ts"
import { makeId } from "../../infra/ids.ts"
import * as members from "../../identity/members/repo.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { Embedder } from "../../infra/ports/embedder.ts"
import * as sessions from "../../identity/sessions/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { Storage } from "../../infra/storage/index.ts"
import * as users from "../../identity/users/repo.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { withMeaning } from "./meaning.ts"
import { queryWordsOf } from "./question.ts"
import * as memories from "../../identity/users/memories-repo.ts"
import * as wordIndex from "./index-repo.ts"
import * as repo from "./repo.ts"
import { search as searchByText } from "./search.ts"
import { fold, indexOf } from "./words.ts"

/** The quota of a member in one organization. The word limit bounds the cost of a search. */
const bankMax = { memories: 10_000, words: 100_000 }
const resultsDefault = 20
const organizationsMax = 1000

interface Scope {
  readonly organization?: "current" | "all"
  readonly tag?: string
}

/** The member behind the caller. API keys are rejected before these operations. */
const personOf = ({ principal }: Member) =>
  principal.kind === "session"
    ? Effect.succeed(principal)
    : Effect.die(new Error("An API key reached a memory operation."))

/**
 * Allows one search per user at a time: a search reads all of the user's memories, and other users need the database
 * too.
 */
const makeQueues = () => {
  const queues = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()
  return <A, E, R>(userId: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const queue = queues.get(userId) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
      queues.set(userId, queue)
      queue.waiting += 1
      return Effect.ensuring(
        queue.turn.withPermits(1)(work),
        Effect.sync(() => {
          queue.waiting -= 1
          if (queue.waiting === 0) queues.delete(userId)
        })
      )
    })
}

const tagKeyOf = (tag: string) => fold(tag).trim()

/** Personal memories, readable only by their owner. */
export class MemoryService extends Context.Service<MemoryService>()("@orgplane/server/memory/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const { mutate } = yield* Mutate
    const storage = yield* Storage
    const embedder = Option.getOrUndefined(yield* Effect.serviceOption(Embedder))
    const oneAtATime = makeQueues()

    /** A search in all organizations requires a session that is not limited to one organization. */
    const everywhere = Effect.fnUntraced(function* (sessionId: Id<"ses"> | null, userId: Id<"usr">) {
      if (sessionId === null || !(yield* sessions.isByEmail(sql, sessionId))) {
        return yield* new Forbidden({
          reason: "session_required",
          message: "Searching all organizations requires a session created with an email code. Sign in by email."
        })
      }
      const rows = yield* users.listOrganizations(sql, userId, null, null, organizationsMax)
      // Organizations that require sign-in through their identity provider are excluded.
      return rows.filter((row) => !row.closed_to_mailed).map(({ id }) => id)
    })

    const bankOf = Effect.fnUntraced(function* (caller: Member, { organization, tag }: Scope) {
      const { sessionId, userId } = yield* personOf(caller)
      const bank: repo.Bank = {
        userId,
        organizationIds: organization === "all" ? yield* everywhere(sessionId, userId) : [caller.organizationId],
        tagKey: tag === undefined ? null : tagKeyOf(tag)
      }
      return bank
    })

    const save = Effect.fnUntraced(function* (caller: Member, input: typeof Memory.SaveMemory.Type) {
      const { membershipId, userId } = yield* personOf(caller)
      const { organizationId } = caller
      const { content, contexts = [] } = input
      const tags = [...new Set(input.tags)]
      const index = yield* inTimeSlices(indexOf({ content, tags, snippets: contexts.map(({ snippet }) => snippet) }), 1)
      const saved = yield* mutate(
        caller,
        "memory.save",
        Effect.gen(function* () {
          // A concurrent removal of the membership must not leave behind a memory that no one could delete.
          if (!(yield* members.keep(sql, organizationId, membershipId))) return yield* new OrganizationNotFound()
          yield* wordIndex.lock(sql, organizationId, userId)
          const usage = yield* repo.measure(sql, organizationId, userId)
          if (usage.memories >= bankMax.memories || usage.words + index.words.length > bankMax.words) {
            return yield* new Memory.MemoryQuotaExceeded()
          }
          const tagKeys = [...new Set(tags.map(tagKeyOf))]
          const id = makeId("mem")
          const createdAt = yield* repo.create(sql, organizationId, userId, {
            id,
            content,
            tags,
            tagKeys,
            contexts,
            index
          })
          yield* storage.demand(organizationId)
          if (wordIndex.isIndexDue(usage.unindexed + index.words.length)) {
            yield* wordIndex.indexOldest(sql, organizationId, userId)
          }
          // The stored idempotent response does not contain the text, because a retried request contains it.
          return { id, createdAt: (createdAt ?? new Date(0)).toISOString() }
        }),
        ({ id }) => ({
          target: id,
          // No digest is recorded, because the digest of a short text can be guessed.
          after: { length: Array.from(content).length, tags: tags.length, contexts: contexts.length }
        })
      )
      const at = new Date(saved.createdAt)
      const row = {
        id: saved.id,
        organization_id: organizationId,
        content,
        tags,
        source: "chat",
        created_at: at,
        updated_at: at
      }
      return { memory: memories.toWire(row) }
    })

    const search = Effect.fnUntraced(function* (
      caller: Member,
      query: Scope & { readonly q: string; readonly limit?: number }
    ) {
      const bank = yield* bankOf(caller, query)
      const words = queryWordsOf(query.q)
      const limit = query.limit ?? resultsDefault
      const byText = searchByText(sql, bank, words, limit)
      const work = embedder === undefined ? byText : withMeaning(sql, embedder, { q: query.q, bank, limit }, byText)
      const rows = words.length === 0 ? [] : yield* oneAtATime(bank.userId, work)
      return { results: rows.map((row) => ({ ...memories.toWire(row), score: row.score })) }
    })

    const list = Effect.fnUntraced(function* (caller: Member, query: PageQuery & Scope) {
      const bank = yield* bankOf(caller, query)
      return yield* pages.list(caller, query, {
        filters: [bank.userId, query.organization ?? "current", query.tag ?? null],
        rows: (after, limit) => repo.list(sql, bank, after, limit),
        toWire: memories.toWire
      })
    })

    const get = Effect.fnUntraced(function* (caller: Member, id: string) {
      const { userId } = yield* personOf(caller)
      const row = yield* repo.find(sql, caller.organizationId, userId, id)
      return row === undefined ? yield* new Memory.MemoryNotFound() : { memory: memories.toWhole(row) }
    })

    const remove = Effect.fnUntraced(function* (caller: Member, id: string) {
      const { userId } = yield* personOf(caller)
      yield* mutate(
        caller,
        "memory.delete",
        Effect.gen(function* () {
          yield* wordIndex.lock(sql, caller.organizationId, userId)
          const removed = yield* wordIndex.remove(sql, caller.organizationId, userId, id)
          return removed === undefined ? yield* new Memory.MemoryNotFound() : removed
        }),
        ({ length }) => ({ target: id, before: { length } })
      )
    })

    const removeAll = Effect.fnUntraced(function* (caller: Member) {
      const { userId } = yield* personOf(caller)
      yield* mutate(
        caller,
        "memory.delete_all",
        Effect.andThen(
          wordIndex.lock(sql, caller.organizationId, userId),
          wordIndex.removeAll(sql, caller.organizationId, userId)
        ),
        (memories) => ({ target: null, before: { memories } })
      )
    })

    const exportLines = Effect.fnUntraced(function* (caller: Member, query: Scope) {
      const bank = yield* bankOf(caller, query)
      return linesOf("memories", { userId: bank.userId, organizationIds: bank.organizationIds }, [
        {
          kind: "memory",
          rowsMax: memories.wholeRowsMax,
          read: (after, limit) =>
            Effect.map(repo.listWithContexts(sql, bank, after === "" ? null : after, limit), (rows) =>
              rows.map((row) => ({ id: row.id, item: memories.toWhole(row) }))
            )
        }
      ])
    })

    return { save, search, list, get, remove, removeAll, exportLines } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
