import type { PluginCapabilities } from "@orgplane/schema/plugin-capabilities"
import type { Plugin } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PluginArchives } from "../plugins/archive-service.ts"
import { isManifest } from "./analyze.ts"
import { listedSet } from "./listed-set.ts"
import { readSet } from "./read-set.ts"
import { rulesWithout } from "./signals.ts"

/** Computes the capability sets of stored plugins. */
export class PluginCapabilitiesService extends Context.Service<PluginCapabilitiesService>()(
  "@orgplane/server/plugin-capabilities/Service",
  {
    make: Effect.gen(function* () {
      const archives = yield* PluginArchives

      /** The capabilities of a plugin that the caller can see, from the files of its archive. */
      const get = Effect.fnUntraced(function* (caller: Member, plugin: Plugin, disabledRules: string | undefined) {
        const { files, paths } = yield* archives.contents(caller, plugin, isManifest)
        const set = yield* readSet(paths, files, rulesWithout(disabledRules))
        return { pluginId: plugin.id, ...listedSet(set) } satisfies PluginCapabilities
      })

      return { get } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
