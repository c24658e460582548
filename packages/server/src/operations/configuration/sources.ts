import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./content-repo.ts"
import { deriveKey } from "./derive-key.ts"

/** The connector and branch of imported objects, as in the document. */
export const readSources = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">) {
  const keys = new Map<string, string>()
  const used = new Set<string>()
  for (const { id, name } of yield* repo.listConnectors(sql, organizationId)) {
    const key = deriveKey(name, used)
    used.add(key)
    keys.set(id, key)
  }
  return ({ branch, connector_instance_id: instanceId }: repo.SourceRow) => {
    const connector = instanceId === null ? undefined : keys.get(instanceId)
    return connector === undefined || branch === null ? undefined : { connector, branch }
  }
})
