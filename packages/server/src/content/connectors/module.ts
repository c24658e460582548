import * as Layer from "effect/Layer"
import { AccountsService } from "./accounts-service.ts"
import { ConnectService } from "./connect-service.ts"
import { DiscoveryService } from "./discovery-service.ts"
import { ImportService } from "./import-service.ts"
import { MappingsService } from "./mappings-service.ts"
import { ReconcileService } from "./reconcile.ts"
import { RemoteEvents } from "./remote-events.ts"
import { RemotePlugins } from "./remote-plugins.ts"
import { ConnectorsService } from "./service.ts"
import { SyncEventsService } from "./sync-events-service.ts"
import { SyncService } from "./sync.ts"
import { TargetsService } from "./targets-service.ts"

/** Each service is built on the ones below it. */
export const layer = Layer.mergeAll(MappingsService.layer, SyncEventsService.layer).pipe(
  Layer.provideMerge(TargetsService.layer),
  Layer.provideMerge(ImportService.layer),
  Layer.provideMerge(Layer.mergeAll(AccountsService.layer, ConnectService.layer)),
  Layer.provideMerge(
    Layer.mergeAll(ConnectorsService.layer, ReconcileService.layer.pipe(Layer.provideMerge(RemoteEvents.layer)))
  ),
  Layer.provideMerge(SyncService.layer),
  Layer.provideMerge(DiscoveryService.layer),
  Layer.provideMerge(RemotePlugins.layer)
)

export const workers = [SyncService.use((sync) => sync.worker), ReconcileService.use((reconcile) => reconcile.worker)]
