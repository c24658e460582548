import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, forSignedIn } from "../../infra/http/handlers.ts"
import { download } from "../../infra/http/lines.ts"
import { makeLibrary } from "./library.ts"
import { OwnDesktopPolicy } from "./own-policy.ts"
import { UsersService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "users",
  Effect.fn(function* (handlers) {
    const users = yield* UsersService
    const library = yield* makeLibrary
    const ownPolicy = yield* OwnDesktopPolicy
    return handlers.handleAll({
      get: forSignedIn((caller) => users.get(caller)),
      update: forSignedIn((caller, { payload }) => users.update(caller, payload)),
      remove: forSignedIn((caller) => users.remove(caller)),
      organizations: forSignedIn((caller, { query }) => users.listOrganizations(caller, query)),
      leaveOrganization: forSignedIn((caller, { params }) => users.leaveOrganization(caller, params.organizationId)),
      setActiveOrganization: forSignedIn((caller, { payload }) =>
        users.setActiveOrganization(caller, payload.organizationId)
      ),
      desktopPolicy: forMember((caller, { query }) => ownPolicy.get(caller, query)),
      library: forMember((caller, { query }) => library(caller, query)),
      export: forSignedIn((caller) => Effect.map(users.exported(caller), (lines) => download(lines, "me.ndjson")))
    })
  })
).pipe(Layer.provide(UsersService.layer))
