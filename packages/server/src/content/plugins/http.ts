import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import {
  forAnyone,
  forMember,
  granted,
  createdOrExisting,
  ok,
  one,
  withEtag,
  withVersion
} from "../../infra/http/handlers.ts"
import { sendSignedFile } from "../../infra/http/signed-file.ts"
import { PluginCapabilitiesService } from "../plugin-capabilities/service.ts"
import { PluginArchives } from "./archive-service.ts"
import { PluginsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "plugins",
  Effect.fn(function* (handlers) {
    const plugins = yield* PluginsService
    const archives = yield* PluginArchives
    const capabilities = yield* PluginCapabilitiesService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => Effect.map(plugins.create(caller, payload), ok)),
      list: forMember((caller, { query }) => plugins.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(plugins.getVersioned(caller, params.pluginId), (plugin) => one(withVersion(caller, plugin)))
      ),
      capabilities: forMember((caller, { params, query }) =>
        plugins.get(caller, params.pluginId).pipe(
          Effect.flatMap((plugin) => capabilities.get(caller, plugin, query.disabledRules)),
          Effect.map(one)
        )
      ),
      listObjects: forMember((caller, { params, query }) => plugins.listObjects(caller, params.pluginId, query)),
      listAccess: forMember((caller, { params, query }) => plugins.listAccess(caller, params.pluginId, query)),
      grantAccess: forMember((caller, { params, payload }) =>
        granted(caller, plugins.grantAccess(caller, params.pluginId, payload))
      ),
      revokeAccess: forMember((caller, { params }) => plugins.revokeAccess(caller, params.pluginId, params.grantId)),
      update: forMember((caller, { params, payload }) =>
        Effect.map(plugins.update(caller, params.pluginId, payload), (plugin) => ok(withEtag(caller, plugin)))
      ),
      archive: forMember((caller, { params }) => Effect.map(plugins.archive(caller, params.pluginId), ok)),
      restore: forMember((caller, { params }) => Effect.map(plugins.restore(caller, params.pluginId), ok)),
      addObject: forMember((caller, { params, payload }) =>
        Effect.map(plugins.addObject(caller, params.pluginId, payload.configObjectId), ({ isNew, membership }) =>
          createdOrExisting(caller, isNew, membership)
        )
      ),
      removeObject: forMember((caller, { params }) =>
        plugins.removeObject(caller, params.pluginId, params.configObjectId)
      ),
      download: forMember((caller, { params, query }) =>
        plugins.get(caller, params.pluginId).pipe(
          Effect.flatMap((plugin) => archives.download(caller, plugin, query.format)),
          Effect.map((archive) => sendSignedFile(caller, archive))
        )
      ),
      downloadLinked: forAnyone((caller, { params, query: { signature, ...link } }) =>
        Effect.map(archives.downloadLinked({ ...link, pluginId: params.pluginId }, signature), (archive) =>
          sendSignedFile(caller, archive)
        )
      )
    })
  })
).pipe(Layer.provide(PluginsService.layer), Layer.provide(PluginCapabilitiesService.layer))
