import * as Effect from "effect/Effect"
import { makeId } from "../ids.ts"
import type { Sql } from "../sql/client.ts"

const leaseMinutes = 5

/** The runs, each with its own lease: the deletion of expired rows, the check that none are left, and the delivery history. */
export type Run = "sweep" | "check" | "delivery_history"

/**
 * Takes the lease of a run for this process, unless another process holds it, or a run finished less than this many minutes
 * ago.
 */
const take = (sql: Sql, run: Run, holder: string, everyMinutes: number) =>
  Effect.map(
    sql<{ one: number }>`INSERT INTO housekeeping_runs AS r (name, lease_holder, lease_until)
      VALUES (${run}, ${holder}, now() + make_interval(mins => ${leaseMinutes}))
      ON CONFLICT (name) DO UPDATE SET lease_holder = excluded.lease_holder, lease_until = excluded.lease_until
      WHERE (r.lease_until IS NULL OR r.lease_until < now())
        AND (r.finished_at IS NULL OR r.finished_at < now() - make_interval(mins => ${everyMinutes}))
      RETURNING 1 AS one`,
    (rows) => rows.length > 0
  )

/** Renews the lease until another process holds it, which happens only if this process could not renew it in time. */
const renew = (sql: Sql, run: Run, holder: string) =>
  sql<{ one: number }>`UPDATE housekeeping_runs SET lease_until = now() + make_interval(mins => ${leaseMinutes})
    WHERE name = ${run} AND lease_holder = ${holder} RETURNING 1 AS one`.pipe(
    Effect.delay("1 minute"),
    Effect.repeat({ while: (rows) => rows.length > 0 }),
    Effect.asVoid
  )

const release = (sql: Sql, run: Run, holder: string, isFinished: boolean) =>
  sql`UPDATE housekeeping_runs SET lease_holder = NULL, lease_until = NULL,
      finished_at = CASE WHEN ${isFinished} THEN now() ELSE finished_at END
    WHERE name = ${run} AND lease_holder = ${holder}`

/** Does the work in one process at a time, and at most once in this many minutes. */
export const aloneAndEvery = <E, R>(sql: Sql, run: Run, everyMinutes: number, work: Effect.Effect<void, E, R>) =>
  Effect.suspend(() => {
    const holder = makeId("req")
    return Effect.acquireUseRelease(
      take(sql, run, holder, everyMinutes),
      (isOurs) =>
        isOurs
          ? Effect.raceFirst(Effect.as(work, true), Effect.as(renew(sql, run, holder), false))
          : Effect.succeed(false),
      (isOurs, exit) =>
        isOurs ? Effect.ignore(release(sql, run, holder, exit._tag === "Success" && exit.value)) : Effect.void
    )
  })
