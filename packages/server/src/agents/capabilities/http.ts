import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forAnyone, forMember } from "../../infra/http/handlers.ts"
import { callbackResponse } from "../oauth/index.ts"
import { SuiteConnectService } from "./connect-service.ts"
import { CapabilitiesService } from "./service.ts"

const response = <A>(connection: A) => ({ connection })

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "capabilities",
  Effect.fn(function* (handlers) {
    const capabilities = yield* CapabilitiesService
    const connect = yield* SuiteConnectService
    return handlers.handleAll({
      createMailDraft: forMember((caller, { payload }) =>
        Effect.map(capabilities.createMailDraft(caller, payload), (draft) => ({ ok: true as const, draft }))
      ),
      getMailMessage: forMember((caller, { params }) =>
        Effect.map(capabilities.getMailMessage(caller, params.messageId), (message) => ({ ok: true as const, message }))
      ),
      updateCalendarEvent: forMember((caller, { params, payload }) =>
        capabilities.updateCalendarEvent(caller, params.eventId, payload)
      ),
      listConnections: forMember((caller, { query }) => connect.list(caller, query)),
      getConnection: forMember((caller, { params }) => Effect.map(connect.get(caller, params.suite), response)),
      startConnect: forMember((caller, { params, payload }) =>
        Effect.map(connect.startConnect(caller, params.suite, payload), (started) => ({ connect: started }))
      ),
      completeConnect: forMember((caller, { params, payload }) =>
        Effect.map(connect.completeConnect(caller, params.suite, payload), response)
      ),
      disconnect: forMember((caller, { params }) => Effect.map(connect.disconnect(caller, params.suite), response)),
      callback: forAnyone((_, { query }) =>
        Effect.map(connect.returnUrlOf(query.state), (returnUrl) => callbackResponse(query, returnUrl))
      )
    })
  })
).pipe(Layer.provide([CapabilitiesService.layer, SuiteConnectService.layer]))
