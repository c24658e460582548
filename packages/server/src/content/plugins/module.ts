import { PluginArchives } from "./archive-service.ts"

export const layer = PluginArchives.layer
