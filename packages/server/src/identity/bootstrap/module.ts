import { BootstrapService } from "./service.ts"

export const layer = BootstrapService.layer
