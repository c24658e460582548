import { OrgplaneApi } from "@orgplane/schema/api"
import { keyIdHeader, signatureHeader } from "@orgplane/schema/desired-state"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { matchesEtag } from "../../infra/http/edge.ts"
import { forMember, forMemberOrWorker, one, privateDocument } from "../../infra/http/handlers.ts"
import { DesiredStateService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "desiredState",
  Effect.fn(function* (handlers) {
    const states = yield* DesiredStateService
    return handlers.handleAll({
      get: forMemberOrWorker((caller, { request }) => {
        const ifNoneMatch = request.headers["if-none-match"]
        return Effect.map(
          states.issue(caller, (etag) => matchesEtag(ifNoneMatch, `"${etag}"`)),
          (issued) => {
            if (issued.kind === "unchanged") {
              return privateDocument(caller, { item: HttpServerResponse.empty({ status: 304 }), version: issued.etag })
            }
            const { body, etag, keyId, signature } = issued
            Object.assign(caller.request.responseState.headers, {
              [signatureHeader]: signature.toString("base64"),
              [keyIdHeader]: keyId
            })
            const response = HttpServerResponse.text(body, { contentType: "application/json" })
            return privateDocument(caller, { item: response, version: etag })
          }
        )
      }),
      getMember: forMember((caller, { params }) => Effect.map(states.getMember(caller, params.orgMembershipId), one))
    })
  })
).pipe(Layer.provide(DesiredStateService.layer))
