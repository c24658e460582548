import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, granted, createdOrExisting, ok, one, withEtag } from "../../infra/http/handlers.ts"
import { ConfigObjectsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "configObjects",
  Effect.fn(function* (handlers) {
    const objects = yield* ConfigObjectsService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => Effect.map(objects.create(caller, payload), ok)),
      list: forMember((caller, { query }) => objects.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(objects.get(caller, params.configObjectId), (object) => one(withEtag(caller, object)))
      ),
      listVersions: forMember((caller, { params, query }) =>
        objects.listVersions(caller, params.configObjectId, query)
      ),
      getVersion: forMember((caller, { params }) =>
        Effect.map(objects.getVersion(caller, params.configObjectId, params.versionId), one)
      ),
      listAccess: forMember((caller, { params, query }) => objects.listAccess(caller, params.configObjectId, query)),
      grantAccess: forMember((caller, { params, payload }) =>
        granted(caller, objects.grantAccess(caller, params.configObjectId, payload))
      ),
      revokeAccess: forMember((caller, { params }) =>
        objects.revokeAccess(caller, params.configObjectId, params.grantId)
      ),
      archive: forMember((caller, { params }) => Effect.map(objects.archive(caller, params.configObjectId), ok)),
      restore: forMember((caller, { params }) => Effect.map(objects.restore(caller, params.configObjectId), ok)),
      remove: forMember((caller, { params }) => objects.remove(caller, params.configObjectId)),
      createVersion: forMember((caller, { params, payload }) =>
        Effect.map(objects.createVersion(caller, params.configObjectId, payload), ({ isNew, version }) =>
          createdOrExisting(caller, isNew, version)
        )
      ),
      restoreVersion: forMember((caller, { params }) =>
        Effect.map(objects.restoreVersion(caller, params.configObjectId, params.versionId), ({ isNew, version }) =>
          createdOrExisting(caller, isNew, version)
        )
      ),
      diffVersions: forMember((caller, { params, query }) =>
        Effect.map(objects.diffVersions(caller, params.configObjectId, params.versionId, query), one)
      ),
      attachPlugin: forMember((caller, { params, payload }) =>
        Effect.map(objects.attachPlugin(caller, params.configObjectId, payload.pluginId), ({ isNew, placement }) =>
          createdOrExisting(caller, isNew, placement)
        )
      ),
      detachPlugin: forMember((caller, { params }) =>
        objects.detachPlugin(caller, params.configObjectId, params.pluginId)
      )
    })
  })
).pipe(Layer.provide(ConfigObjectsService.layer))
