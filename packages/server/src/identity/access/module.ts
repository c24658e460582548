import { AccessService } from "./service.ts"

export const layer = AccessService.layer
