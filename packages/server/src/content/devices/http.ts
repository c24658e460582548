import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, forMemberOrWorker, one } from "../../infra/http/handlers.ts"
import { DeliveryHistoryService } from "./history-service.ts"
import { DeviceReportsService } from "./reports-service.ts"
import { DeliveryService } from "./service.ts"
import { DeliveryUsageService } from "./usage-service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "delivery",
  Effect.fn(function* (handlers) {
    const reports = yield* DeviceReportsService
    const delivery = yield* DeliveryService
    const history = yield* DeliveryHistoryService
    const usage = yield* DeliveryUsageService
    return handlers.handleAll({
      report: forMemberOrWorker((caller, { payload }) => reports.report(caller, payload)),
      status: forMember((caller, { query }) => Effect.map(delivery.status(caller, query), one)),
      listTeams: forMember((caller, { query }) => delivery.listTeams(caller, query)),
      listMembers: forMember((caller, { query }) => delivery.listMembers(caller, query)),
      listDevices: forMember((caller, { query }) => delivery.listDevices(caller, query)),
      getDevice: forMember((caller, { params }) =>
        Effect.map(delivery.getDevice(caller, params.orgMembershipId, params.deviceId), one)
      ),
      removeDevice: forMember((caller, { params }) =>
        delivery.removeDevice(caller, params.orgMembershipId, params.deviceId)
      ),
      history: forMember((caller, { query }) => Effect.map(history.history(caller, query), one)),
      usage: forMember((caller, { query }) => Effect.map(usage.usage(caller, query), one))
    })
  })
).pipe(Layer.provide([DeviceReportsService.layer, DeliveryService.layer, DeliveryUsageService.layer]))
