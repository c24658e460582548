import { keepPartitions } from "./keep-partitions.ts"
import { TelemetrySummary } from "./summary.ts"

export const layer = TelemetrySummary.layer

export const workers = [TelemetrySummary.use((summary) => summary.worker), keepPartitions]
