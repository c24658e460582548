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
import { checkProof } from "./proof.ts"
import * as repo from "./repo.ts"

const judgedAtOnce = 5
/** The time limit for checking all domains. Domains without a result by then fail with `dns_unavailable`. */
const verifyMillisMax = 15_000

const messages: Readonly<Record<Domains.DomainFailure, (domain: string) => string>> = {
  dns_unavailable: (domain) => `The DNS lookup for ${domain} failed. Try again later.`,
  record_missing: (domain) => `No verification TXT record found at ${recordName(domain)} or ${domain}. Add the record.`,
  record_mismatch: (domain) => `The TXT record at ${recordName(domain)} or ${domain} has a different value.`,
  domain_taken: (domain) => `Another organization has verified ${domain}.`
}

class DomainTaken extends Data.TaggedError("Taken") {}

/** Manages and verifies an organization's domains. */
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
          message: "An unclaimed workspace cannot have domains. Claim it first."
        })
      }
      const parsed = readDomain(input.domain)
      if ("fault" in parsed) return yield* InvalidRequest.at(["body", "domain"], parsed.fault)
      return yield* mutate(
        caller,
        "domain.create",
        Effect.gen(function* () {
          const count = yield* repo.lockAndCount(sql, caller.organizationId)
          const domain = { id: makeId("dom"), domain: parsed.domain, token: makeSecret() }
          const row = yield* repo.create(sql, caller.organizationId, domain, membershipOf(caller))
          if (row === undefined) return yield* new Domains.DomainExists()
          if (count >= Domains.domainsMax) return yield* new Domains.DomainQuotaExceeded()
          return { domain: repo.toWire(row) }
        }),
        ({ domain }) => ({ target: domain.id, after: { domain: digestOf(domain.domain) } })
      )
    })

    const list = (caller: Member, query: PageQuery) =>
      pages.list(caller, query, {
        filters: {},
        rows: (after, limit) => repo.list(sql, caller.organizationId, after, limit),
        toWire: repo.toWire
      })

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"dom">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
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

    /** The result of each DNS check. Domains without a result in time are missing. */
    const checkAll = Effect.fnUntraced(function* (rows: ReadonlyArray<repo.Row>) {
      const results = new Map<string, Domains.DomainFailure | null>()
      yield* Effect.forEach(
        rows,
        (row) => Effect.map(checkProof(dns, row), (failure) => results.set(row.id, failure)),
        {
          concurrency: judgedAtOnce,
          discard: true
        }
      ).pipe(Effect.timeoutOption(verifyMillisMax))
      return results
    })

    /** Marks a domain as verified. If two organizations try concurrently, the first one succeeds. */
    const settle = Effect.fnUntraced(function* (
      { id, organization_id }: repo.Row,
      checkFailure: Domains.DomainFailure | null
    ) {
      const failure =
        checkFailure === null
          ? yield* repo.markVerified(sql, organization_id, id).pipe(
              Effect.as(null),
              whenTaken(() => new DomainTaken()),
              // A savepoint, so that a unique violation does not roll back anything else.
              sql.withTransaction,
              Effect.catchTag("Taken", () => Effect.succeed("domain_taken" as const))
            )
          : checkFailure
      if (failure !== null) yield* repo.noteFailure(sql, organization_id, id, failure)
      return failure
    })

    /**
     * Looks up the records of all unverified domains outside of any transaction, then updates those that are still
     * unverified.
     */
    const verify = Effect.fnUntraced(function* (caller: Member) {
      const { organizationId } = caller
      if (!(yield* repo.hasAny(sql, organizationId))) return yield* new OrganizationNotFound()
      yield* limiter.take(caller.request, limits.domainVerify, organizationId)
      const unverified = yield* repo.unverified(sql, organizationId)
      const results = yield* checkAll(unverified)
      const unverifiedIds = new Set(unverified.map(({ id }) => id))
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
          // Skips domains that were added in the meantime. Domains that were removed or verified in the meantime are
          // not in the result either.
          for (const row of yield* repo.lockUnverified(sql, organizationId)) {
            if (!unverifiedIds.has(row.id)) continue
            const code = yield* settle(row, results.has(row.id) ? (results.get(row.id) ?? null) : "dns_unavailable")
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
