import { DomainReproof } from "./reproof.ts"

export const layer = DomainReproof.layer

export const workers = [DomainReproof.use((reproof) => reproof.worker)]
