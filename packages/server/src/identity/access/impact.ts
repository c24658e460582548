import { GrantNotFound, type ImpactResult } from "@orgplane/schema/access"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import { roleOf } from "../grants/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as explain from "./explain-repo.ts"
import * as repo from "./impact-repo.ts"

/** Computes what revoking a grant would change. */
export const makeImpact = Effect.gen(function* () {
  const sql = yield* SqlDatabase

  return Effect.fnUntraced(function* (caller: Member, grantId: string) {
    const grant = yield* repo.liveGrant(sql, caller.organizationId, grantId)
    if (grant === undefined) return yield* new GrantNotFound()
    const kind = grant.object_kind
    const object = yield* explain.nameAndLevel(sql, caller, kind, grant.object_id)
    // A caller who cannot see the object cannot see its grants either.
    if (object === undefined || object.level === 0) return yield* new GrantNotFound()
    const result = yield* repo.losses(sql, caller.organizationId, {
      id: grant.id,
      kind,
      objectId: grant.object_id,
      objectName: object.name
    })
    const impact: typeof ImpactResult.Type = {
      grantId: grant.id,
      memberCount: result.member_count,
      losses: result.losses.slice(0, repo.lossesMax).map((row) => ({
        orgMembershipId: row.membership_id,
        object: { kind: row.kind, id: row.id, name: row.name },
        from: roleOf(row.before) ?? "viewer",
        to: roleOf(row.after)
      })),
      truncated: result.is_cut || result.losses.length > repo.lossesMax
    }
    return impact
  })
})
