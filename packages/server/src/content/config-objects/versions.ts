import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import * as ConfigObjects from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { VersionDiff } from "@orgplane/schema/version-diff"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { Storage } from "../../infra/storage/index.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { columnsOf, type Content, readContent } from "./content.ts"
import { compareCapabilities, rulesWithout } from "../plugin-capabilities/index.ts"
import { objectCapabilities } from "../plugin-capabilities/object-files.ts"
import { parseContent } from "./parse.ts"
import { demandOwn, demandSeen } from "./demand.ts"
import * as objects from "./object-repo.ts"
import * as repo from "./repo.ts"
import { describeVersion } from "./version-audit.ts"
import { isSamePayload, payloadChanges, textDiff } from "./version-diff.ts"

/** Creates the operations that write and compare versions of an object. */
export const makeVersions = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { mutate } = yield* Mutate
  const storage = yield* Storage

  /** Writes the content as the latest version of the object, unless the latest version has the same content. */
  const write = (
    caller: Member,
    action: StoredAuditAction,
    id: Id<"cob">,
    content: Content,
    restoredVersionId?: Id<"cov">
  ) =>
    mutate(
      caller,
      action,
      Effect.gen(function* () {
        const { organizationId } = caller
        const object = yield* objects.lock(sql, organizationId, id)
        if (object === undefined) return yield* new ConfigObjects.ConfigObjectNotFound()
        if (object.status === "archived") return yield* new ConfigObjects.ConfigObjectArchived()
        const latest =
          object.latest_version_id === null
            ? undefined
            : yield* repo.findVersion(sql, organizationId, id, object.latest_version_id)
        if (
          latest !== undefined &&
          latest.v_text === content.text &&
          (latest.v_digest === content.digest || isSamePayload(latest.v_payload, content.payload))
        ) {
          return { isNew: false, version: repo.versionToWire(latest) }
        }
        const versionId = makeId("cov")
        yield* repo.putVersions(sql, organizationId, [
          {
            objectId: id,
            versionId,
            isNewObject: false,
            objectType: object.object_type,
            sourceMode: "cloud",
            ...columnsOf(content),
            createdBy: membershipOf(caller),
            connectorInstanceId: null,
            syncEventId: null,
            revision: null
          }
        ])
        yield* storage.demand(organizationId)
        const version = yield* expectRow(yield* repo.findVersion(sql, organizationId, id, versionId), "version")
        return { isNew: true, version: repo.versionToWire(version) }
      }),
      describeVersion(id, restoredVersionId)
    )

  const createVersion = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"cob">,
    { input }: ConfigObjects.CreateConfigObjectVersion
  ) {
    const object = yield* demandOwn(sql, caller, id, "editor")
    const content = yield* readContent(object.object_type, input, {
      fileName: object.file_name,
      relativePath: object.relative_path
    })
    return yield* write(caller, "configObject.create_version", id, content)
  })

  const find = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, versionId: Id<"cov">) {
    const row = yield* repo.findVersion(sql, caller.organizationId, id, versionId)
    return row === undefined ? yield* new ConfigObjects.VersionNotFound() : row
  })

  /**
   * Writes the content of an earlier version again. It was validated when it was first written and is not validated
   * again.
   */
  const restoreVersion = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, versionId: Id<"cov">) {
    const object = yield* demandOwn(sql, caller, id, "editor")
    const row = yield* find(caller, id, versionId)
    // A deletion mark has no content to restore.
    if (row.v_is_deleted) return yield* new ConfigObjects.VersionNotFound()
    const parseInput = { objectType: object.object_type, fileName: object.file_name, text: row.v_text }
    const read = parseContent(parseInput)
    // A payload that the caller sent also determines the title and description; a payload that was read from the text
    // already has.
    const isRead = row.v_text !== null && isSamePayload(row.v_payload, read.normalizedPayloadJson)
    const parsed = isRead ? read : parseContent({ ...parseInput, payload: row.v_payload })
    const content: Content = {
      parsed,
      text: row.v_text,
      payload: row.v_payload ?? {},
      schemaVersion: row.v_schema_version ?? parsed.schemaVersion,
      digest: row.v_digest,
      fileName: object.file_name,
      relativePath: object.relative_path
    }
    return yield* write(caller, "configObject.restore_version", id, content, versionId)
  })

  const compared = (row: repo.VersionRow): VersionDiff["to"] => ({
    id: row.v_id,
    ordinal: row.v_ordinal,
    contentDigest: row.v_digest,
    createdAt: iso(row.v_created_at)
  })

  /** The differences between a version and `against`, or the version before it. */
  const diffVersions = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"cob">,
    versionId: Id<"cov">,
    { against, disabledRules }: { readonly against?: Id<"cov">; readonly disabledRules?: string }
  ) {
    const object = yield* demandSeen(sql, caller, id, "viewer")
    const to = yield* repo.readVersion(sql, caller, id, versionId)
    if (to === undefined) return yield* new ConfigObjects.VersionNotFound()
    const from = yield* against === undefined
      ? repo.readVersionBefore(sql, caller, id, to.v_ordinal)
      : repo.readVersion(sql, caller, id, against)
    if (against !== undefined && from === undefined) {
      return yield* InvalidRequest.at(["query", "against"], "is not a version of the config object")
    }
    const { changes, truncated } = payloadChanges(from?.v_payload ?? null, to.v_payload)
    const nameOf = (row: repo.VersionRow | undefined) => (row === undefined ? "/dev/null" : `version ${row.v_ordinal}`)
    const diff: VersionDiff = {
      configObjectId: id,
      from: from === undefined ? null : compared(from),
      to: compared(to),
      textDiff: textDiff(from?.v_text ?? "", to.v_text ?? "", [nameOf(from), nameOf(to)]),
      payloadChanges: changes,
      truncated,
      capabilities: compareCapabilities(
        from === undefined ? undefined : objectCapabilities(object, from),
        objectCapabilities(object, to),
        rulesWithout(disabledRules)
      )
    }
    return diff
  })

  return { createVersion, restoreVersion, diffVersions } as const
})
