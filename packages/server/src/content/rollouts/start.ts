import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SystemActor } from "../../infra/audit/record.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./repo.ts"
import { settings } from "./settings-repo.ts"
import { create, supersede } from "./transitions.ts"

const scheduledDaysMax = 366

/** Fails if a rollout cannot be scheduled for this time. */
export const demandStart = (sql: Sql, startsAt: string | null | undefined) =>
  startsAt == null
    ? Effect.void
    : Effect.flatMap(repo.readTime(sql), (now) =>
        Date.parse(startsAt) > now + scheduledDaysMax * 86_400_000
          ? InvalidRequest.at(["body", "startsAt"], `must be at most ${scheduledDaysMax} days from now`)
          : Effect.void
      )

/** Ends the open rollout of a plugin without replacing it, and serves a release to all members. */
const serveAtOnce = Effect.fnUntraced(function* (
  sql: Sql,
  actor: Member | SystemActor,
  pluginId: Id<"plg">,
  releaseId: Id<"rel">
) {
  const { organizationId } = actor
  yield* supersede(sql, actor, pluginId, false)
  yield* repo.endDeliveries(sql, organizationId, pluginId)
  yield* repo.serve(sql, organizationId, pluginId, releaseId)
})

/**
 * Delivers a release that was just approved with a rollout. Without rings, the rollout is completed at once, or when the
 * freeze that applies ends; it can be rolled back. The first release of a plugin is served at once, because there is no
 * release that members could keep; so is a release with the content of the served one, such as a revert. The caller has
 * locked the plugin. Returns the rollout, if any.
 */
export const deliver = Effect.fnUntraced(function* (
  sql: Sql,
  actor: Member | SystemActor,
  pluginId: Id<"plg">,
  releaseId: Id<"rel">,
  startsAt: string | null = null
) {
  const { organizationId } = actor
  const { freezes, rings } = yield* settings(sql, organizationId)
  const plugin = yield* repo.lockPlugin(sql, organizationId, pluginId)
  const previousReleaseId = plugin?.served_release_id ?? null
  const releases = { pluginId, releaseId, previousReleaseId }
  if (startsAt !== null) {
    const current = { freezes, rings: previousReleaseId === null ? [] : rings }
    return yield* create(sql, actor, releases, current, startsAt)
  }
  const release = yield* repo.findRelease(sql, organizationId, releaseId)
  const previous =
    previousReleaseId === null ? undefined : yield* repo.findRelease(sql, organizationId, previousReleaseId)
  const isNew = previous !== undefined && previous.id !== releaseId && previous.digest !== release?.digest
  if (isNew) return yield* create(sql, actor, releases, { freezes, rings })
  yield* serveAtOnce(sql, actor, pluginId, releaseId)
  return null
})
