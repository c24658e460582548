import { AccessService } from "./index.ts"

export const layer = AccessService.layer
