import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { DomainFailure } from "@orgplane/schema/sso-domains"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { recordAudit } from "../../infra/audit/record.ts"
import { DnsText } from "../../infra/ports/dns-text.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { checkProof } from "./proof.ts"
import * as repo from "./repo.ts"

const roundMax = 50
const judgedAtOnce = 8
/**
 * A round takes at most a minute even if name servers do not respond. After a crash, its domains can be leased
 * again after this time.
 */
const leaseSeconds = 600

/**
 * Re-verifies every verified domain each day. If the record is missing in two checks that are a day apart, the domain's
 * verification lapses. A name server that does not respond is not evidence: it neither makes a verification lapse nor
 * restarts that day.
 */
export class DomainReproof extends Context.Service<DomainReproof>()("@orgplane/server/domains/Reproof", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* organizationTransaction
    const dns = yield* DnsText

    /** Records the outcome if the domain still exists and is verified. Returns the audit action, if there is one. */
    const write = Effect.fnUntraced(function* (
      { id, organization_id }: repo.DueRow,
      failure: DomainFailure | null
    ): Effect.fn.Return<StoredAuditAction | undefined, SqlError> {
      const row = yield* repo.lockVerified(sql, organization_id, id)
      if (row === undefined) return undefined
      if (failure === "dns_unavailable")
        return yield* Effect.as(repo.recordUnavailable(sql, organization_id, id), undefined)
      if (failure === null) {
        yield* repo.recordSuccess(sql, organization_id, id)
        return row.is_failing ? "domain.verified" : undefined
      }
      if (row.is_over) return yield* Effect.as(repo.lapse(sql, organization_id, id, failure), "domain.lapsed" as const)
      yield* repo.recordFailure(sql, organization_id, id, failure)
      return row.is_failing ? undefined : "domain.failing"
    })

    const reprove = Effect.fn("domains.reprove")(function* (due: repo.DueRow) {
      const failure = yield* checkProof(dns, due)
      yield* fenced(
        due.organization_id,
        Effect.gen(function* () {
          const action = yield* write(due, failure)
          if (action === undefined) return
          const actor = { kind: "system", organizationId: due.organization_id } as const
          yield* recordAudit(sql, actor, action, { target: due.id, after: { failure } })
        })
      )
    })

    /** Verifies the domains that are due, at most one batch. Returns their number. */
    const round = Effect.gen(function* () {
      const due = yield* repo.takeDue(sql, leaseSeconds, roundMax)
      yield* Effect.forEach(
        due,
        (row) =>
          reprove(row).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause)
                : Effect.logWarning("Cannot re-verify a domain. Retrying.", cause)
            )
          ),
        { concurrency: judgedAtOnce, discard: true }
      )
      return due.length
    })

    /** Runs rounds until interrupted, without a pause while there is more to do. */
    const worker = round.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(Effect.logWarning("Cannot re-verify domains. Retrying.", cause), 0)
      ),
      Effect.flatMap((taken) => (taken === roundMax ? Effect.void : Effect.sleep("1 minute"))),
      Effect.forever
    )

    return { round, worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
