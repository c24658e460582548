import { DeliveryHistoryService } from "./history-service.ts"

export const layer = DeliveryHistoryService.layer

export const workers = [DeliveryHistoryService.use((history) => history.worker)]
