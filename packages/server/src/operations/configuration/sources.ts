import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./content-repo.ts"
import * as keysRepo from "./keys-repo.ts"
import { keyObjects } from "./derive-key.ts"

/** The connector and branch of imported objects, as in the document. */
export const readSources = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">) {
  const rows = yield* keysRepo.list(sql, organizationId)
  const connectors = keyObjects(rows, "connectors", yield* repo.listConnectors(sql, organizationId))
  const keys = new Map<string, string>(connectors.map(({ id, key }) => [id, key]))
  return ({ branch, connector_instance_id: instanceId }: repo.SourceRow) => {
    const connector = instanceId === null ? undefined : keys.get(instanceId)
    return connector === undefined || branch === null ? undefined : { connector, branch }
  }
})

/** Fails if there are imported objects, whose connectors the caller cannot read. */
export const demandSources = ({ permissions }: Member, isImported: boolean) =>
  !isImported || permissions.has("connectors:read")
    ? Effect.void
    : Effect.fail(
        new Forbidden({
          reason: "permission_required",
          message: "This requires the permission connectors:read, because some objects are imported."
        })
      )
