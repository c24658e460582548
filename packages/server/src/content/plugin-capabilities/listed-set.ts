import { elementsListedMax, type PluginCapabilities, signalsListedMax } from "@orgplane/schema/plugin-capabilities"
import type { CapabilitySet } from "./analyze.ts"

/** The part of a capability set that a response contains. */
export const listedSet = ({ digest, elements, signals }: CapabilitySet): Omit<PluginCapabilities, "pluginId"> => ({
  digest,
  elements: elements.slice(0, elementsListedMax),
  elementCount: elements.length,
  truncated: elements.length > elementsListedMax || signals.length > signalsListedMax,
  signals: signals.slice(0, signalsListedMax)
})
