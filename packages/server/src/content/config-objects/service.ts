import * as ConfigObjects from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessService, demandLevel } from "../../identity/access/service.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { Storage } from "../../infra/storage/index.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { columnsOf, type Content, readContent } from "./content.ts"
import { makeLifecycle } from "./lifecycle.ts"
import { makeMembership } from "./membership.ts"
import * as repo from "./repo.ts"
import { makeVersions } from "./versions.ts"

export class ConfigObjectsService extends Context.Service<ConfigObjectsService>()(
  "@orgplane/server/config-objects/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const access = yield* AccessService
      const storage = yield* Storage
      const { mutate } = yield* Mutate
      const lifecycle = yield* makeLifecycle
      const versions = yield* makeVersions
      const membership = yield* makeMembership

      /** Requires an access level on an object that the caller can see, and returns the caller's level. */
      const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, needed: keyof typeof levels) {
        const level = yield* repo.level(sql, caller, id)
        if (level === 0) return yield* new ConfigObjects.ConfigObjectNotFound()
        yield* demandLevel(level, needed)
      })

      const get = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">) {
        const row = yield* repo.get(sql, caller, id)
        if (row === undefined || row.level === 0 || !row.is_served) {
          return yield* new ConfigObjects.ConfigObjectNotFound()
        }
        // An approval changes what a viewer reads, and not the row.
        const version = row.is_earlier === true ? `${row.version}-${row.v_ordinal}` : row.version
        return { item: repo.toWire(row), version }
      })

      /**
       * Creates private objects in the current transaction, and adds them to plugins that the caller can edit. Returns
       * them in the given order.
       */
      const makeAll = Effect.fnUntraced(function* (
        caller: Member,
        newObjects: ReadonlyArray<{
          readonly objectType: ConfigObjects.ConfigObject["objectType"]
          readonly sourceMode: ConfigObjects.ConfigObject["sourceMode"]
          readonly content: Content
        }>,
        pluginIds: ReadonlyArray<Id<"plg">>
      ) {
        const { organizationId } = caller
        const createdBy = membershipOf(caller)
        const versions = newObjects.map(({ content, objectType, sourceMode }): repo.NewVersion => ({
          objectId: makeId("cob"),
          versionId: makeId("cov"),
          isNewObject: true,
          objectType,
          sourceMode,
          ...columnsOf(content),
          createdBy,
          connectorInstanceId: null,
          syncEventId: null,
          revision: null
        }))
        const ids = versions.map(({ objectId }) => objectId)
        yield* repo.putVersions(sql, organizationId, versions)
        yield* storage.demand(organizationId)
        yield* access.grantCreatorOfAll(caller, "configObject", ids)
        yield* repo.addToPlugins(sql, organizationId, ids, pluginIds, createdBy)
        const rows = new Map((yield* repo.findMany(sql, organizationId, ids)).map((row) => [row.id, row]))
        return yield* Effect.forEach(ids, (id) => Effect.map(expectRow(rows.get(id), "config object"), repo.toWire))
      })

      /** Creates a private object. The caller must be able to edit each plugin it is added to. */
      const create = Effect.fnUntraced(function* (caller: Member, body: ConfigObjects.CreateConfigObject) {
        const { input } = body
        if (input.sourceMode === "connector") {
          return yield* InvalidRequest.at(
            ["body", "input", "sourceMode"],
            'cannot be "connector"; only a sync creates such objects'
          )
        }
        const content = yield* readContent(input.type, input, { fileName: null, relativePath: null })
        const pluginIds = [...new Set(body.pluginIds ?? [])]
        return yield* mutate(
          caller,
          "configObject.create",
          Effect.gen(function* () {
            const editable = yield* repo.pluginLevels(sql, caller, pluginIds)
            for (const [index, pluginId] of (body.pluginIds ?? []).entries()) {
              const level = editable.get(pluginId) ?? 0
              if (level === 0) {
                return yield* InvalidRequest.at(["body", "pluginIds", index], "does not exist in the organization")
              }
              yield* demandLevel(level, "editor")
            }
            const newObject = { objectType: input.type, sourceMode: input.sourceMode ?? ("cloud" as const), content }
            const [object] = yield* makeAll(caller, [newObject], pluginIds)
            return yield* expectRow(object, "config object")
          }),
          (object) => ({
            target: object.id,
            after: {
              objectType: object.objectType,
              sourceMode: object.sourceMode,
              contentDigest: object.latestVersion?.contentDigest,
              pluginIds
            }
          })
        )
      })

      const list = (caller: Member, query: PageQuery & repo.Filters) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.listBy(caller, query, {
          filters,
          rows: (after, limit) => repo.list(sql, caller, filters, after, limit),
          idOf: (row) => row.key,
          toWire: repo.toWire,
          fits: (row) => row.fits
        })
      }

      const listVersions = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, query: PageQuery) {
        yield* demand(caller, id, "viewer")
        return yield* pages.listBy(caller, query, {
          filters: id,
          rows: (after, limit) => repo.listVersions(sql, caller, id, after, limit),
          idOf: (row) => row.v_id,
          toWire: repo.versionToWire,
          fits: (row) => row.fits
        })
      })

      const getVersion = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, versionId: Id<"cov">) {
        yield* demand(caller, id, "viewer")
        const row = yield* repo.readVersion(sql, caller, id, versionId)
        return row === undefined ? yield* new ConfigObjects.VersionNotFound() : repo.versionToWire(row)
      })

      const grantOperations = access.grantOperations({
        kind: "configObject",
        audited: "configObject",
        demand,
        grantNotFound: () => new ConfigObjects.ConfigObjectGrantNotFound()
      })

      return {
        create,
        makeAll,
        get,
        list,
        listVersions,
        getVersion,
        ...grantOperations,
        ...lifecycle,
        ...versions,
        ...membership
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
