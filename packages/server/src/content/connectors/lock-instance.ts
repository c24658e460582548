import { InstanceDisabled } from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./repo.ts"

/** Locks the instance until the transaction ends; `notFound` creates the error if it does not exist. */
export const lockInstance = <E>(sql: Sql, caller: Member, id: Id<"cin">, notFound: () => E) =>
  repo
    .lockInstance(sql, caller.organizationId, id)
    .pipe(Effect.flatMap((row) => (row === undefined ? Effect.fail(notFound()) : Effect.succeed(row))))

/** Like `lockInstance`, but requires an instance that is not disabled or archived. */
export const lockActiveInstance = <E>(sql: Sql, caller: Member, id: Id<"cin">, notFound: () => E) =>
  lockInstance(sql, caller, id, notFound).pipe(
    Effect.flatMap((row) => (repo.isStopped(row) ? Effect.fail(new InstanceDisabled()) : Effect.succeed(row)))
  )
