import type { ControlPlaneOptions } from "../options.ts"
import { type PluginBounds, pluginBoundsDefault } from "./settings.ts"

export const pluginBoundsOf = ({ pluginBounds }: ControlPlaneOptions): PluginBounds => ({
  ...pluginBoundsDefault,
  ...pluginBounds
})

/** Repository readers must accept every file that a plugin may contain. */
export const blobBoundsOf = (options: ControlPlaneOptions) => ({
  blobBytesMax: Math.max(pluginBoundsDefault.fileBytesMax, pluginBoundsOf(options).fileBytesMax)
})
