import { ReleaseChecks } from "./checks.ts"

export const layer = ReleaseChecks.layer

export const workers = [ReleaseChecks.use((checks) => checks.worker)]
