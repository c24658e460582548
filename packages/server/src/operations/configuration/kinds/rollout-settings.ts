import type * as Document from "@orgplane/schema/shared/configuration-document"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { RolloutsService } from "../../../content/rollouts/service.ts"
import type { Kind } from "../kind.ts"
import { normalizePeople, peopleIds, peopleKeys, peopleReferences } from "../people.ts"

type Entry = typeof Document.RolloutSettingsEntry.Type

/** The rings, thresholds and freezes of rollouts. */
export const rolloutSettingsKind = (rollouts: RolloutsService["Service"]): Kind => ({
  kind: "rolloutSettings",
  refersTo: ["teams"],
  permissions: { read: ["rollouts:read"], write: "rollouts:manage", remove: "rollouts:manage" },
  read: Effect.fnUntraced(function* (caller, names) {
    const { freezes, rings, thresholds } = yield* rollouts.getSettings(caller)
    const entries = rings.map(({ memberIds, name, percent, promotion, soakMinutes, teamIds }) => ({
      name,
      ...peopleKeys({ memberIds, teamIds }, names),
      percent,
      soakMinutes,
      promotion
    }))
    const item = { rings: entries, thresholds, freezes }
    return [{ id: caller.organizationId, version: null, name: "Rollout settings", item }]
  }),
  normalize: (item: Entry) =>
    item.rings === undefined
      ? item
      : { ...item, rings: item.rings.map((ring) => ({ ...ring, ...normalizePeople(ring) })) },
  references: ({ rings = [] }: Entry) => rings.flatMap((ring, index) => peopleReferences(ring, ["rings", index])),
  update: Effect.fnUntraced(function* (caller, _current, fields: Entry, { names }) {
    const { rings: entries, ...input } = fields
    if (entries === undefined) return yield* Effect.asVoid(rollouts.updateSettings(caller, input))
    const { rings: before } = yield* rollouts.getSettings(caller)
    const rings = entries.map(({ members, teams, ...ring }) => ({
      ...ring,
      ...peopleIds(
        { members, teams },
        names,
        before.find(({ name }) => name === ring.name)
      )
    }))
    const empty = rings.findIndex(
      ({ memberIds, percent, teamIds }) => memberIds.length + teamIds.length === 0 && percent === 0
    )
    if (empty !== -1) {
      return yield* InvalidRequest.at(["rings", empty], "must have teams, members or a percentage")
    }
    yield* rollouts.updateSettings(caller, { ...input, rings })
  })
})
