import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./content-repo.ts"
import * as keysRepo from "./keys-repo.ts"
import { deriveKey } from "./derive-key.ts"

/** The connector and branch of imported objects, as in the document. */
export const readSources = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">) {
  const keys = new Map<string, string>()
  const own = (yield* keysRepo.list(sql, organizationId)).filter(({ kind }) => kind === "connectors")
  const stored = new Map(own.flatMap((row) => (row.is_removed ? [] : [[row.object_id, row.key] as const])))
  const used = new Set(own.map(({ key }) => key))
  for (const { id, name } of yield* repo.listConnectors(sql, organizationId)) {
    const key = stored.get(id) ?? deriveKey(name, used)
    used.add(key)
    keys.set(id, key)
  }
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
