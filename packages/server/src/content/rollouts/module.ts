import { RolloutWorker } from "./worker.ts"

export const layer = RolloutWorker.layer

export const workers = [RolloutWorker.use(({ worker }) => worker)]
