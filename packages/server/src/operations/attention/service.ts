import {
  type AttentionCount,
  type AttentionItem,
  type AttentionKind,
  attentionKindNames,
  attentionKinds,
  attentionPerKindMax,
  type AttentionSeverity
} from "@orgplane/schema/attention"
import type { Member } from "@orgplane/schema/shared/caller"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AttentionFinding } from "../../infra/attention/source.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { sources } from "./sources.ts"

interface Filters {
  readonly kind?: AttentionKind
  readonly severity?: AttentionSeverity
}

/** The statements of one request that run at the same time. */
const readAtOnce = 4

const toItem = (kind: AttentionKind, finding: AttentionFinding): AttentionItem => {
  const { object, parent, severity } = attentionKinds[kind]
  return {
    kind,
    severity,
    object: { kind: object, id: finding.id, name: finding.name },
    parent: parent === null || finding.parentId === null ? null : { kind: parent, id: finding.parentId },
    detail: finding.detail,
    since: iso(finding.since),
    expiresAt: isoOrNull(finding.expiresAt)
  }
}

/** Sorts like the items: by kind, and then oldest first. */
const positionOf = ({ kind, object, since }: AttentionItem): string =>
  `${String(attentionKindNames.indexOf(kind)).padStart(2, "0")}/${since}/${object.id}`

/** The items of all modules that need attention. */
export class AttentionService extends Context.Service<AttentionService>()("@orgplane/server/attention/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages

    const list = Effect.fnUntraced(function* (caller: Member, query: PageQuery & Filters) {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      const wanted = attentionKindNames.flatMap((kind) => {
        const source = sources.get(kind)
        const fits =
          (filters.kind ?? kind) === kind &&
          (filters.severity ?? attentionKinds[kind].severity) === attentionKinds[kind].severity
        return fits && source?.permissions.every((permission) => caller.permissions.has(permission)) === true
          ? [source]
          : []
      })
      const groups = yield* Effect.forEach(
        wanted,
        ({ kind, list }) =>
          Effect.map(list(sql, caller, attentionPerKindMax + 1), (findings) => ({
            kind,
            truncated: findings.length > attentionPerKindMax,
            items: findings.slice(0, attentionPerKindMax).map((finding) => toItem(kind, finding))
          })),
        { concurrency: readAtOnce }
      )
      const items = groups
        .flatMap((group) => group.items)
        .map((item) => ({ item, position: positionOf(item) }))
        .toSorted((a, b) => (a.position < b.position ? -1 : 1))
      const page = yield* pages.listBy(caller, query, {
        filters,
        rows: (after, limit) =>
          Effect.succeed(items.filter(({ position }) => after === null || position > after).slice(0, limit)),
        idOf: ({ position }) => position,
        toWire: ({ item }) => item
      })
      const counts = groups.flatMap(({ items: { length: count }, kind, truncated }): ReadonlyArray<AttentionCount> =>
        count === 0 ? [] : [{ kind, severity: attentionKinds[kind].severity, count, truncated }]
      )
      return { ...page, counts }
    })

    return { list } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
