import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { Modes } from "./modes.ts"

export const findModes = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly modes: Modes | null }>`SELECT configuration_modes AS modes FROM organizations
    WHERE id = ${organizationId}`.pipe(Effect.map((rows) => rows[0]?.modes ?? {}))

export const putModes = (sql: Sql, organizationId: Id<"org">, modes: Modes | null) =>
  sql`UPDATE organizations SET configuration_modes = ${modes === null ? null : sql.json(modes)}
    WHERE id = ${organizationId}`
