import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Templates from "@orgplane/schema/templates"
import * as Effect from "effect/Effect"
import type { JsonObject } from "../config-objects/parse-json.ts"
import { describeVersion } from "../config-objects/version-audit.ts"
import { isSamePayload, payloadChanges, textDiff } from "../config-objects/version-diff.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { Storage } from "../../infra/storage/index.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { contentOf, judgeContent } from "./content.ts"
import * as repo from "./repo.ts"

/** Two versions with the same digest have the same content. */
export const digestOfContent = (content: Templates.Content): string => sha256(JSON.stringify(content))

const withoutTexts = (content: Templates.Content | undefined): JsonObject | null =>
  content === undefined
    ? null
    : {
        plugin: content.plugin,
        objects: content.objects.map(({ rawSourceText: _text, ...object }) => object),
        variables: content.variables
      }

/** The text diff of each object with the one at the same position. */
export const textDiffs = Effect.fnUntraced(function* (from: repo.VersionRow | undefined, to: repo.VersionRow) {
  const [before, after] = [from?.v_content.objects ?? [], to.v_content.objects]
  const nameOf = (row: repo.VersionRow | undefined, index: number) =>
    row?.v_content.objects[index] === undefined ? "/dev/null" : `version ${row.v_ordinal}/objects/${index}`
  const diffs: Array<string> = []
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    // Yields for each comparison: there may be a hundred of one megabyte each.
    yield* Effect.yieldNow
    const [old, current] = [before[index]?.rawSourceText ?? "", after[index]?.rawSourceText ?? ""]
    diffs.push(textDiff(old, current, [nameOf(from, index), nameOf(to, index)]))
  }
  return diffs.join("")
})

/** Creates the operations that write and compare versions of a template. */
export const makeVersions = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { mutate } = yield* Mutate
  const storage = yield* Storage

  const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">) {
    if (!(yield* repo.exists(sql, caller.organizationId, id))) return yield* new Templates.TemplateNotFound()
  })

  const find = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">, versionId: Id<"tpv">) {
    const row = yield* repo.findVersion(sql, caller.organizationId, id, versionId)
    return row === undefined ? yield* new Templates.TemplateVersionNotFound() : row
  })

  /** Writes the content as the latest version of the template, unless the latest version has the same content. */
  const write = (
    caller: Member,
    action: StoredAuditAction,
    id: Id<"tpl">,
    content: Templates.Content,
    digest: string,
    restoredVersionId?: Id<"tpv">
  ) =>
    mutate(
      caller,
      action,
      Effect.gen(function* () {
        const { organizationId } = caller
        const before = yield* repo.lock(sql, organizationId, id)
        if (before === undefined) return yield* new Templates.TemplateNotFound()
        const latest = yield* expectRow(yield* repo.findVersion(sql, organizationId, id, before.v_id), "latest version")
        if (latest.v_digest === digest || isSamePayload({ content: latest.v_content }, { content })) {
          return { isNew: false, version: repo.versionToWire(latest) }
        }
        const versionId = makeId("tpv")
        yield* repo.putVersion(sql, organizationId, {
          id: versionId,
          templateId: id,
          ordinal: latest.v_ordinal + 1,
          content,
          digest,
          createdBy: membershipOf(caller)
        })
        yield* repo.setLatest(sql, organizationId, id, versionId)
        yield* storage.demand(organizationId)
        const created = yield* expectRow(yield* repo.findVersion(sql, organizationId, id, versionId), "version")
        return { isNew: true, version: repo.versionToWire(created) }
      }),
      describeVersion(id, restoredVersionId)
    )

  const createVersion = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"tpl">,
    input: Templates.CreateTemplateVersion
  ) {
    yield* demand(caller, id)
    const content = contentOf(input.content)
    yield* judgeContent(content)
    return yield* write(caller, "template.create_version", id, content, digestOfContent(content))
  })

  /**
   * Writes the content of an earlier version again. It was validated when it was first written and is not validated
   * again.
   */
  const restoreVersion = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">, versionId: Id<"tpv">) {
    yield* demand(caller, id)
    const row = yield* find(caller, id, versionId)
    return yield* write(caller, "template.restore_version", id, row.v_content, row.v_digest, versionId)
  })

  const getVersion = Effect.fnUntraced(function* (caller: Member, id: Id<"tpl">, versionId: Id<"tpv">) {
    yield* demand(caller, id)
    return { version: repo.versionToWire(yield* find(caller, id, versionId)) }
  })

  const compared = (row: repo.VersionRow) => ({
    id: row.v_id,
    ordinal: row.v_ordinal,
    createdAt: iso(row.v_created_at)
  })

  /** The differences between a version and `against`, or the version before it. */
  const diffVersions = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"tpl">,
    versionId: Id<"tpv">,
    against: Id<"tpv"> | undefined
  ) {
    const { organizationId } = caller
    yield* demand(caller, id)
    const to = yield* find(caller, id, versionId)
    const from = yield* against === undefined
      ? repo.versionBefore(sql, organizationId, id, to.v_ordinal)
      : repo.findVersion(sql, organizationId, id, against)
    if (from === undefined && against !== undefined) {
      return yield* InvalidRequest.at(["query", "against"], "is not a version of the template")
    }
    const { changes, truncated } = payloadChanges(withoutTexts(from?.v_content), withoutTexts(to.v_content))
    const diff: Templates.Diff = {
      templateId: id,
      from: from === undefined ? null : compared(from),
      to: compared(to),
      textDiff: yield* textDiffs(from, to),
      changes,
      truncated
    }
    return { diff }
  })

  return { createVersion, restoreVersion, getVersion, diffVersions } as const
})
