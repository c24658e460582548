export { type CapabilityFile, type CapabilitySet, capabilitiesOf, isManifest, makeAnalysis } from "./analyze.ts"
export { compareCapabilities } from "./compare.ts"
export { readSet } from "./read-set.ts"
export { rulesWithout } from "./signals.ts"
