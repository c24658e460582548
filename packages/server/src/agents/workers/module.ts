import { WorkerSupervisor } from "./supervisor.ts"

export const layer = WorkerSupervisor.layer

export const workers = [WorkerSupervisor.use((supervisor) => supervisor.worker)]
