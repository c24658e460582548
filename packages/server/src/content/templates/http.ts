import { OrgplaneApi } from "@orgplane/schema/api"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { ConfigObjectsService } from "../config-objects/service.ts"
import { forMember } from "../../infra/http/handlers.ts"
import { PluginsService } from "../plugins/service.ts"
import { TemplatesService } from "./service.ts"

/** 201 for a new version, 200 for an existing one. */
const respondWithVersion = <V>(
  caller: Member,
  { isNew, version }: { readonly isNew: boolean; readonly version: V }
) => {
  if (!isNew) caller.request.responseHeaders[":status"] = "200"
  return { version }
}

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "templates",
  Effect.fn(function* (handlers) {
    const templates = yield* TemplatesService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => templates.create(caller, payload)),
      list: forMember((caller, { query }) => templates.list(caller, query)),
      get: forMember((caller, { params }) => templates.get(caller, params.templateId)),
      update: forMember((caller, { params, payload }) => templates.update(caller, params.templateId, payload)),
      remove: forMember((caller, { params }) => templates.remove(caller, params.templateId)),
      listVersions: forMember((caller, { params, query }) => templates.listVersions(caller, params.templateId, query)),
      getVersion: forMember((caller, { params }) => templates.getVersion(caller, params.templateId, params.versionId)),
      createVersion: forMember((caller, { params, payload }) =>
        Effect.map(templates.createVersion(caller, params.templateId, payload), (result) =>
          respondWithVersion(caller, result)
        )
      ),
      restoreVersion: forMember((caller, { params }) =>
        Effect.map(templates.restoreVersion(caller, params.templateId, params.versionId), (result) =>
          respondWithVersion(caller, result)
        )
      ),
      diffVersions: forMember((caller, { params, query }) =>
        templates.diffVersions(caller, params.templateId, params.versionId, query.against)
      ),
      preview: forMember((caller, { params, payload }) => templates.preview(caller, params.templateId, payload)),
      instantiate: forMember((caller, { params, payload }) =>
        templates.instantiate(caller, params.templateId, payload)
      ),
      listInstances: forMember((caller, { params, query }) => templates.listInstances(caller, params.templateId, query))
    })
  })
).pipe(
  Layer.provide(TemplatesService.layer),
  Layer.provide(Layer.mergeAll(PluginsService.layer, ConfigObjectsService.layer))
)
