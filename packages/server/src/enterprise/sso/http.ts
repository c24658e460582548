import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forAnyone, forMember, withEtag } from "../../infra/http/handlers.ts"
import { browserResponse } from "./browser-response.ts"
import { SsoService } from "./service.ts"
import { SsoSignIn } from "./sign-in.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "sso",
  Effect.fn(function* (handlers) {
    const sso = yield* SsoService
    const signIn = yield* SsoSignIn
    return handlers.handleAll({
      get: forMember((caller) => Effect.map(sso.get(caller), (connection) => ({ sso: withEtag(caller, connection) }))),
      serviceProvider: forMember((caller) => Effect.sync(() => sso.serviceProvider(caller))),
      remove: forMember((caller) => sso.remove(caller)),
      putOidc: forMember((caller, { payload }) =>
        Effect.map(sso.putOidc(caller, payload), (connection) => ({ sso: withEtag(caller, connection) }))
      ),
      putSaml: forMember((caller, { payload }) =>
        Effect.map(sso.putSaml(caller, payload), (connection) => ({ sso: withEtag(caller, connection) }))
      ),
      test: forMember((caller, { payload }) => signIn.test(caller, payload)),
      enable: forMember((caller) => sso.enable(caller)),
      disable: forMember((caller) => sso.disable(caller)),
      enforce: forMember((caller, { payload }) => sso.enforce(caller, payload)),
      start: forAnyone((caller, { payload }) => signIn.start(caller, payload)),
      complete: forAnyone((caller, { payload }) => signIn.complete(caller, payload)),
      oidcCallback: forAnyone((caller, { params, query }) =>
        Effect.map(signIn.oidcCallback(caller, params.organizationId, query), browserResponse)
      ),
      samlAcs: forAnyone((caller, { params, payload }) =>
        Effect.map(signIn.samlAcs(caller, params.organizationId, payload), browserResponse)
      ),
      samlMetadata: forAnyone((_, { params }) => Effect.sync(() => signIn.samlMetadata(params.organizationId)))
    })
  })
).pipe(Layer.provide(Layer.mergeAll(SsoService.layer, SsoSignIn.layer)))
