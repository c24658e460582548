import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest, OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Domains from "@orgplane/schema/sso-domains"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { makeSecret } from "../../infra/crypto/tokens.ts"
import { makeId } from "../../infra/ids.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { DnsText } from "../../infra/ports/dns-text.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import { readDomain, recordName } from "./name.ts"
import { judge } from "./proof.ts"
import * as repo from "./repo.ts"

const judgedAtOnce = 5
/** What a look at all domains may take; those that nobody answered for by then are told so. */
const verifyMillisMax = 15_000

const messages: Readonly<Record<Domains.DomainFailure, (domain: string) => string>> = {
  dns_unavailable: (domain) => `The name servers gave no answer for ${domain}; try again later.`,
  record_missing: (domain) => `There is no TXT record of ours at ${recordName(domain)}, nor at ${domain}.`,
  record_mismatch: (domain) => `The TXT record at ${recordName(domain)} or ${domain} has another value.`,
  domain_taken: (domain) => `Another organization has verified ${domain}.`
}

class Taken extends Data.TaggedError("Taken") {}

/** The domains that an organization proves to own. */
export class DomainsService extends Context.Service<DomainsService>()("@orgplane/server/domains/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const limiter = yield* RateLimiter
    const dns = yield* DnsText
    const { mutate } = yield* Mutate

    const create = Effect.fnUntraced(function* (caller: Member, input: typeof Domains.CreateDomain.Type) {
      if (caller.provisional) {
        return yield* new Forbidden({
          reason: "provisional_organization",
          message: "A workspace that nobody has claimed has no domains."
        })
      }
      const read = readDomain(input.domain)
      if ("fault" in read) return yield* InvalidRequest.at(["body", "domain"], read.fault)
      if (caller.provisional) {
        return yield* new Forbidden({
          reason: "provisional_organization",
          message: "A workspace that nobody has claimed speaks for nobody's addresses."
        })
      }
      return yield* mutate(
        caller,
        "domain.create",
        Effect.gen(function* () {
          const count = yield* repo.countAlone(sql, caller.organizationId)
          const made = { id: makeId("dom"), domain: read.domain, token: makeSecret() }
          const row = yield* repo.create(sql, caller.organizationId, made, membershipOf(caller))
          if (row === undefined) return yield* new Domains.DomainExists()
          if (count >= Domains.domainsMax) return yield* new Domains.DomainQuotaExceeded()
          return { domain: repo.toWire(row) }
        }),
        ({ domain }) => ({ target: domain.id, after: { domain: digestOf(domain.domain) } })
      )
    })

    const list = (caller: Member, query: PageQuery) =>
      pages.read(
        { operation: "ssoDomains.list", organizationId: caller.organizationId, filters: {} },
        query,
        (after, limit) => repo.list(sql, caller.organizationId, after, limit),
        (row) => row.id,
        repo.toWire
      )

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"dom">) {
      const row = yield* repo.get(sql, caller.organizationId, id)
      return row === undefined ? yield* new Domains.DomainNotFound() : { domain: repo.toWire(row) }
    })

    const remove = (caller: Member, id: Id<"dom">) =>
      mutate(
        caller,
        "domain.remove",
        Effect.gen(function* () {
          const row = yield* repo.remove(sql, caller.organizationId, id)
          return row === undefined ? yield* new Domains.DomainNotFound() : row
        }),
        (row) => ({ target: id, before: { domain: digestOf(row.domain), status: row.status } })
      ).pipe(Effect.asVoid)

    /** What the name servers say of each; whoever had no answer in time is not in it. */
    const judged = Effect.fnUntraced(function* (rows: ReadonlyArray<repo.Row>) {
      const found = new Map<string, Domains.DomainFailure | null>()
      yield* Effect.forEach(rows, (row) => Effect.map(judge(dns, row), (failure) => found.set(row.id, failure)), {
        concurrency: judgedAtOnce,
        discard: true
      }).pipe(Effect.timeoutOption(verifyMillisMax))
      return found
    })

    /** Marks a domain that holds; the first of two organizations has it. */
    const settle = Effect.fnUntraced(function* (
      { id, organization_id }: repo.Row,
      found: Domains.DomainFailure | null
    ) {
      const failure =
        found === null
          ? yield* repo.prove(sql, organization_id, id).pipe(
              Effect.as(null),
              whenTaken(() => new Taken()),
              // A transaction in the transaction: what the index refuses takes nothing else with it.
              sql.withTransaction,
              Effect.catchTag("Taken", () => Effect.succeed("domain_taken" as const))
            )
          : found
      if (failure !== null) yield* repo.noteFailure(sql, organization_id, id, failure)
      return failure
    })

    /** Looks for the records of all that is not verified, outside any transaction, and marks what still stands as it did. */
    const verify = Effect.fnUntraced(function* (caller: Member) {
      const { organizationId } = caller
      if (!(yield* repo.hasAny(sql, organizationId))) return yield* new OrganizationNotFound()
      yield* limiter.take(caller.request, limits.domainVerify, organizationId)
      const asked = yield* repo.unproved(sql, organizationId)
      const found = yield* judged(asked)
      const known = new Set(asked.map(({ id }) => id))
      const { failures } = yield* mutate(
        caller,
        "domain.verify",
        Effect.gen(function* () {
          const verified: Array<string> = []
          const failures: Array<{
            readonly domain: string
            readonly id: string
            readonly code: Domains.DomainFailure
          }> = []
          // Removed meanwhile, or verified by somebody else who looked: neither is told, and nothing comes back.
          for (const row of yield* repo.lockUnproved(sql, organizationId)) {
            if (!known.has(row.id)) continue
            const code = yield* settle(row, found.has(row.id) ? (found.get(row.id) ?? null) : "dns_unavailable")
            if (code === null) verified.push(row.id)
            else failures.push({ domain: row.domain, id: row.id, code })
          }
          return { failures, verified }
        }),
        ({ failures, verified }) => ({
          after: { verified, failing: Object.fromEntries(failures.map(({ code, id }) => [id, code])) }
        })
      )
      if (failures.length === 0) return
      return yield* new InvalidRequest({
        details: failures.map(({ code, domain }) => ({
          message: messages[code](domain),
          path: ["domains", domain],
          code
        }))
      })
    })

    return { create, list, get, remove, verify } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
