import * as Layer from "effect/Layer"
import { CatalogService } from "./catalog-service.ts"
import { LlmConnectService } from "./connect-service.ts"
import { LlmProvidersService } from "./service.ts"

export const layer = LlmConnectService.layer.pipe(
  Layer.provideMerge(LlmProvidersService.layer),
  Layer.provideMerge(CatalogService.layer)
)
