import { PluginReleaseNotFound } from "@orgplane/schema/approvals"
import { PluginArchiveNotFound } from "@orgplane/schema/plugin-archives"
import type { ReleaseCapabilities } from "@orgplane/schema/plugin-capabilities"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { isManifest, listedSet, readSet, rulesWithout } from "../plugin-capabilities/index.ts"
import { archiveFiles, contentsInOrder, storedReader } from "../plugins/archive-contents.ts"
import { releaseListing } from "../plugins/archive-repo.ts"
import * as repo from "./repo.ts"

const notStored = () =>
  new PluginArchiveNotFound({
    message:
      "The files of this release are not stored. orgplane stores the files of the latest release, the served release and pinned releases. For other releases, read the changes with GET /v1/approvals/{releaseId}."
  })

/** The capability sets of releases. */
export class ReleaseCapabilitiesService extends Context.Service<ReleaseCapabilitiesService>()(
  "@orgplane/server/approvals/Capabilities",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase

      /** The capabilities of a release, from its stored files. */
      const get = Effect.fnUntraced(function* (caller: Member, id: Id<"rel">, disabledRules: string | undefined) {
        const { organizationId } = caller
        const row = yield* repo.find(sql, organizationId, id)
        if (row === undefined) return yield* new PluginReleaseNotFound()
        const listing = yield* releaseListing(sql, organizationId, id)
        if (listing === undefined) return yield* notStored()
        const reader = storedReader(sql, organizationId)
        const { files, paths } = contentsInOrder(yield* archiveFiles(listing, reader), reader, isManifest)
        const set = yield* readSet(paths, files, rulesWithout(disabledRules))
        return { releaseId: id, pluginId: row.plugin_id, ...listedSet(set) } satisfies ReleaseCapabilities
      })

      return { get } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
