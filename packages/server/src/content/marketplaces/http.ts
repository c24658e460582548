import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import {
  createdOrExisting,
  forAnyone,
  forMember,
  granted,
  ok,
  one,
  privateDocument,
  withEtag,
  withVersion
} from "../../infra/http/handlers.ts"
import { sendSignedFile } from "../../infra/http/signed-file.ts"
import { MarketplaceLinks } from "./links-service.ts"
import { MarketplacesService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "marketplaces",
  Effect.fn(function* (handlers) {
    const marketplaces = yield* MarketplacesService
    const links = yield* MarketplaceLinks
    return handlers.handleAll({
      list: forMember((caller, { query }) => marketplaces.list(caller, query)),
      get: forMember((caller, { params }) =>
        Effect.map(marketplaces.get(caller, params.marketplaceId), (marketplace) =>
          one(withVersion(caller, marketplace))
        )
      ),
      listPlugins: forMember((caller, { params, query }) =>
        marketplaces.listPlugins(caller, params.marketplaceId, query)
      ),
      resolved: forMember((caller, { params }) => Effect.map(marketplaces.resolved(caller, params.marketplaceId), ok)),
      listAccess: forMember((caller, { params, query }) =>
        marketplaces.listAccess(caller, params.marketplaceId, query)
      ),
      grantAccess: forMember((caller, { params, payload }) =>
        granted(caller, marketplaces.grantAccess(caller, params.marketplaceId, payload))
      ),
      revokeAccess: forMember((caller, { params }) =>
        marketplaces.revokeAccess(caller, params.marketplaceId, params.grantId)
      ),
      create: forMember((caller, { payload }) => Effect.map(marketplaces.create(caller, payload), ok)),
      update: forMember((caller, { params, payload }) =>
        Effect.map(marketplaces.update(caller, params.marketplaceId, payload), (marketplace) =>
          ok(withEtag(caller, marketplace))
        )
      ),
      archive: forMember((caller, { params }) => Effect.map(marketplaces.archive(caller, params.marketplaceId), ok)),
      restore: forMember((caller, { params }) => Effect.map(marketplaces.restore(caller, params.marketplaceId), ok)),
      addPlugin: forMember((caller, { params, payload }) =>
        Effect.map(marketplaces.addPlugin(caller, params.marketplaceId, payload.pluginId), ({ isNew, membership }) =>
          createdOrExisting(caller, isNew, membership)
        )
      ),
      removePlugin: forMember((caller, { params }) =>
        marketplaces.removePlugin(caller, params.marketplaceId, params.pluginId)
      ),
      createLink: forMember((caller, { params, payload }) =>
        Effect.map(links.create(caller, params.marketplaceId, payload), ok)
      ),
      listLinks: forMember((caller, { params, query }) => links.list(caller, params.marketplaceId, query)),
      revokeLink: forMember((caller, { params }) => links.revoke(caller, params.marketplaceId, params.linkId)),
      manifestLinked: forAnyone((caller, { params }) =>
        Effect.map(links.manifest(caller, params.token), (document) => privateDocument(caller, document))
      ),
      downloadLinked: forAnyone((caller, { params }) =>
        Effect.map(links.download(caller, params.token, params.pluginId), (archive) => sendSignedFile(caller, archive))
      ),
      manifest: forMember((caller, { params, query }) =>
        Effect.map(marketplaces.manifest(caller, params.marketplaceId, query.format), (document) =>
          privateDocument(caller, document)
        )
      )
    })
  })
).pipe(Layer.provide([MarketplacesService.layer, MarketplaceLinks.layer]))
