/** Which objects of a member's state another caller can see. */
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import { type GrantedKind, managesAll, visible } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"

/** The IDs of those objects of a kind that the caller can see. */
export const visibleAmong = (sql: Sql, caller: Member, kind: GrantedKind, ids: ReadonlyArray<string>) =>
  managesAll(caller, kind) || ids.length === 0
    ? Effect.succeed<ReadonlySet<string>>(new Set(ids))
    : sql<{ id: string }>`SELECT i.id FROM unnest(${texts(ids)}::text[]) AS i(id)
        WHERE ${visible(sql, caller, kind, sql`i.id`)}`.pipe(
        Effect.map((rows): ReadonlySet<string> => new Set(rows.map(({ id }) => id)))
      )
