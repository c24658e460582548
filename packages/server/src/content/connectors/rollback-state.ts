import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import * as pluginFiles from "./plugin-files-repo.ts"
import * as publications from "./publications-repo.ts"
import * as repo from "./repo.ts"
import { planRollback } from "./rollback-plan.ts"
import * as events from "./sync-repo.ts"

/**
 * Returns the changes that restore the publication of a revision, and the state that they were computed from; or an error
 * code.
 */
export const readRollback = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  revision: string
) {
  const publication = yield* publications.ofRevision(sql, organizationId, targetId, revision)
  if (publication === undefined) return "revision_unknown"
  const files = yield* publications.filesOf(sql, organizationId, targetId, publication.sequence)
  if (files.length !== (yield* publications.countFiles(sql, organizationId, targetId, publication.sequence))) {
    return "content_gone"
  }
  const plugins = yield* events.targetPlugins(sql, organizationId, targetId)
  const mappings = yield* repo.allMappings(sql, organizationId, targetId)
  const bindings = yield* events.bindings(sql, organizationId, targetId)
  const planned = planRollback({
    published: {
      plugins: publication.plugins_json,
      mappings: publication.mappings_json,
      files,
      pluginFiles: yield* pluginFiles.atSequence(sql, organizationId, targetId, publication.sequence)
    },
    pluginFiles: yield* pluginFiles.ofTarget(sql, organizationId, targetId),
    plugins,
    mappings,
    bindings
  })
  return { planned, files, plugins, mappings, bindings }
})
