/** Validates request bodies and converts them to the form that is stored. */
import * as Effect from "effect/Effect"
import { applyPatch, type Json, type JsonObject, attemptParse, normalize } from "../../infra/scim/language/index.ts"
import { bounded } from "./bounds.ts"
import { notFound } from "./faults.ts"
import type { Row as GroupRow } from "./groups-repo.ts"
import type { GroupChange } from "./groups-service.ts"
import type { Row as UserRow } from "./users-repo.ts"

/** An invalid id is treated like an unknown one; it must not reach the database, where it may be invalid text. */
export const idOf = (text: string) =>
  /^[a-z]{3}_[0-9a-z]{26}$/.test(text) ? Effect.succeed(text) : Effect.fail(notFound())

const user = (read: () => ReturnType<typeof normalize> | ReturnType<typeof applyPatch>) =>
  Effect.flatMap(attemptParse(read), (resource) => bounded("userName", resource))

export const newUser = (body: JsonObject) => user(() => normalize("User", body, { kind: "create" }))

export const replacedUser = (body: JsonObject) => (before: UserRow) =>
  user(() => normalize("User", body, { kind: "replace", previous: before.resource_json }))

export const patchedUser = (body: Json) => (before: UserRow) =>
  user(() => applyPatch("User", before.resource_json, body))

const wholeGroup = (body: JsonObject, previous?: JsonObject) =>
  Effect.flatMap(
    attemptParse(() =>
      normalize("Group", body, previous === undefined ? { kind: "create" } : { kind: "replace", previous })
    ),
    (group) => bounded("displayName", group)
  ).pipe(
    Effect.map((group): GroupChange => ({
      group,
      // A body without members does not change them.
      members: group.members === undefined ? undefined : { replace: group.members, add: [], remove: [] }
    }))
  )

export const newGroup = (body: JsonObject) => wholeGroup(body)

export const replacedGroup = (body: JsonObject) => (before: GroupRow) => wholeGroup(body, before.resource_json)

export const patchedGroup = (body: Json) => (before: GroupRow) =>
  Effect.flatMap(
    attemptParse(() => applyPatch("Group", before.resource_json, body)),
    (group) => bounded("displayName", group)
  ).pipe(Effect.map((group): GroupChange => ({ group, members: group.members })))
