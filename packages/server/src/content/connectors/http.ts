import { OrgplaneApi } from "@orgplane/schema/api"
import * as Connectors from "@orgplane/schema/connectors"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { createdOrExisting, forMember, granted, ok, one, withEtag } from "../../infra/http/handlers.ts"
import { okInTimeSlices } from "../../infra/http/long-response.ts"
import { AccountsService } from "./accounts-service.ts"
import { ConnectService } from "./connect-service.ts"
import { ImportService } from "./import-service.ts"
import { MappingsService } from "./mappings-service.ts"
import { ConnectorsService } from "./service.ts"
import { SyncEventsService } from "./sync-events-service.ts"
import { TargetsService } from "./targets-service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "connectors",
  Effect.fn(function* (handlers) {
    const connectors = yield* ConnectorsService
    const imports = yield* ImportService
    const targets = yield* TargetsService
    const syncs = yield* SyncEventsService
    const mappings = yield* MappingsService
    const connect = yield* ConnectService
    const accounts = yield* AccountsService
    const discovered = okInTimeSlices(Connectors.Discovery, { discoveredPlugins: Connectors.Candidate })
    const applied = okInTimeSlices(Connectors.ApplyResult, {
      plugins: Connectors.AppliedPlugin,
      createdMappings: Connectors.Mapping
    })
    return handlers.handleAll({
      setup: forMember((caller, { payload }) => Effect.map(connect.setup(caller, payload), ok)),
      listInstances: forMember((caller, { query }) => connectors.listInstances(caller, query)),
      getInstance: forMember((caller, { params }) =>
        Effect.map(connectors.getInstance(caller, params.connectorInstanceId), (instance) =>
          one(withEtag(caller, instance))
        )
      ),
      updateInstance: forMember((caller, { params, payload }) =>
        Effect.map(connectors.updateInstance(caller, params.connectorInstanceId, payload), (instance) =>
          ok(withEtag(caller, instance))
        )
      ),
      enable: forMember((caller, { params }) => Effect.map(connectors.enable(caller, params.connectorInstanceId), ok)),
      disable: forMember((caller, { params }) =>
        Effect.map(connectors.disable(caller, params.connectorInstanceId), ok)
      ),
      setCredential: forMember((caller, { params, payload }) =>
        Effect.map(connect.setCredential(caller, params.connectorInstanceId, payload), ok)
      ),
      remove: forMember((caller, { params }) => Effect.map(connectors.remove(caller, params.connectorInstanceId), ok)),
      sync: forMember((caller, { params, query }) =>
        Effect.map(syncs.queueSync(caller, params.connectorInstanceId, query), ok)
      ),
      listSyncEvents: forMember((caller, { params, query }) =>
        syncs.listSyncEvents(caller, params.connectorInstanceId, query)
      ),
      getSyncEvent: forMember((caller, { params }) =>
        Effect.map(syncs.getSyncEvent(caller, params.connectorSyncEventId), one)
      ),
      approveSync: forMember((caller, { params }) =>
        Effect.map(syncs.approveSync(caller, params.connectorSyncEventId), ok)
      ),
      rejectSync: forMember((caller, { params }) =>
        Effect.map(syncs.rejectSync(caller, params.connectorSyncEventId), ok)
      ),
      discovery: forMember((caller, { params, query }) =>
        Effect.flatMap(imports.discover(caller, params.connectorInstanceId, query), discovered)
      ),
      tree: forMember((caller, { params, query }) => imports.tree(caller, params.connectorInstanceId, query)),
      apply: forMember((caller, { params, payload, query }) =>
        Effect.flatMap(imports.apply(caller, params.connectorInstanceId, payload, query.wait !== "0"), applied)
      ),
      listAccess: forMember((caller, { params, query }) =>
        connectors.listAccess(caller, params.connectorInstanceId, query)
      ),
      grantAccess: forMember((caller, { params, payload }) =>
        granted(caller, connectors.grantAccess(caller, params.connectorInstanceId, payload))
      ),
      revokeAccess: forMember((caller, { params }) =>
        connectors.revokeAccess(caller, params.connectorInstanceId, params.grantId)
      ),
      listTargets: forMember((caller, { params, query }) =>
        targets.listTargets(caller, params.connectorInstanceId, query)
      ),
      getTarget: forMember((caller, { params }) =>
        Effect.map(targets.getTarget(caller, params.connectorTargetId), one)
      ),
      listMappings: forMember((caller, { params, query }) => mappings.list(caller, params.connectorTargetId, query)),
      archive: forMember((caller, { params }) =>
        Effect.map(connectors.archive(caller, params.connectorInstanceId), ok)
      ),
      configuration: forMember((caller, { params }) =>
        Effect.map(connectors.configuration(caller, params.connectorInstanceId), one)
      ),
      setAutoImport: forMember((caller, { params, payload }) =>
        Effect.map(connectors.setAutoImport(caller, params.connectorInstanceId, payload.enabled), ok)
      ),
      createTarget: forMember((caller, { params, payload }) =>
        Effect.map(targets.createTarget(caller, params.connectorInstanceId, payload), ok)
      ),
      updateTarget: forMember((caller, { params, payload }) =>
        Effect.map(targets.updateTarget(caller, params.connectorTargetId, payload), ok)
      ),
      resync: forMember((caller, { params }) => Effect.map(syncs.resync(caller, params.connectorTargetId), ok)),
      createMapping: forMember((caller, { params, payload }) =>
        Effect.map(mappings.create(caller, params.connectorTargetId, payload), ok)
      ),
      updateMapping: forMember((caller, { params, payload }) =>
        Effect.map(mappings.update(caller, params.connectorMappingId, payload), ok)
      ),
      deleteMapping: forMember((caller, { params }) => mappings.remove(caller, params.connectorMappingId)),
      mappingImpact: forMember((caller, { params }) =>
        Effect.map(mappings.impact(caller, params.connectorMappingId), (impact) => ({ impact }))
      ),
      plan: forMember((caller, { params, payload, query }) =>
        Effect.map(imports.plan(caller, params.connectorInstanceId, payload, query.disabledRules), ok)
      ),
      retrySync: forMember((caller, { params }) =>
        Effect.map(syncs.retrySync(caller, params.connectorSyncEventId), ok)
      ),
      rollback: forMember((caller, { params, payload }) =>
        Effect.map(syncs.rollback(caller, params.connectorInstanceId, payload), ok)
      ),
      planRollback: forMember((caller, { params, payload }) =>
        Effect.map(syncs.planRollback(caller, params.connectorInstanceId, payload), ok)
      ),
      listAccounts: forMember((caller, { query }) => accounts.listAccounts(caller, query)),
      getAccount: forMember((caller, { params }) =>
        Effect.map(accounts.getAccount(caller, params.connectorAccountId), one)
      ),
      createAccount: forMember((caller, { payload }) => Effect.map(accounts.createAccount(caller, payload), ok)),
      disconnectAccount: forMember((caller, { params }) =>
        Effect.map(accounts.disconnectAccount(caller, params.connectorAccountId), ok)
      ),
      startInstall: forMember((caller) => Effect.map(accounts.startInstall(caller), ok)),
      completeInstall: forMember((caller, { payload }) =>
        Effect.map(accounts.completeInstall(caller, payload), ({ account, isNew }) =>
          createdOrExisting(caller, isNew, account)
        )
      ),
      listRepositories: forMember((caller, { params, query }) =>
        accounts.listRepositories(caller, params.connectorAccountId, query)
      ),
      listBranches: forMember((caller, { params, query }) =>
        accounts.listBranches(caller, params.connectorAccountId, query)
      ),
      createInstance: forMember((caller, { payload }) => Effect.map(connect.createInstance(caller, payload), ok))
    })
  })
)
