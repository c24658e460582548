import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { ConfigObjectsService } from "../config-objects/service.ts"
import { forMember, withCreatedStatus, withEtag } from "../../infra/http/handlers.ts"
import { PluginsService } from "../plugins/service.ts"
import { TemplatesService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "templates",
  Effect.fn(function* (handlers) {
    const templates = yield* TemplatesService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => templates.create(caller, payload)),
      list: forMember((caller, { query }) => templates.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(templates.get(caller, params.templateId), (template) => withEtag(caller, template))
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(templates.update(caller, params.templateId, payload), (template) => ({
          template: withEtag(caller, template)
        }))
      ),
      remove: forMember((caller, { params }) => templates.remove(caller, params.templateId)),
      listVersions: forMember((caller, { params, query }) => templates.listVersions(caller, params.templateId, query)),
      getVersion: forMember((caller, { params }) => templates.getVersion(caller, params.templateId, params.versionId)),
      createVersion: forMember((caller, { params, payload }) =>
        Effect.map(templates.createVersion(caller, params.templateId, payload), ({ isNew, version }) =>
          withCreatedStatus(caller, isNew, { version })
        )
      ),
      restoreVersion: forMember((caller, { params }) =>
        Effect.map(templates.restoreVersion(caller, params.templateId, params.versionId), ({ isNew, version }) =>
          withCreatedStatus(caller, isNew, { version })
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
