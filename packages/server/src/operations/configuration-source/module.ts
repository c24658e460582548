import { ConfigurationWorker } from "./worker.ts"

export const layer = ConfigurationWorker.layer

export const workers = [ConfigurationWorker.use(({ worker }) => worker)]
