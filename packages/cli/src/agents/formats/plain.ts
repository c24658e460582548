/** A JSON document for other agents. */
import { join } from "node:path"
import type { Json } from "../settings-text.ts"
import type { FormatInput, FormatOutput } from "./format.ts"

export const plain = ({ baseUrl, directory, plugins, state }: FormatInput): FormatOutput => ({
  target: {
    kind: "whole",
    value: {
      formatVersion: 1,
      server: baseUrl,
      organizationId: state.organizationId,
      subject: state.subject,
      revision: state.revision,
      validUntil: state.validUntil,
      marketplaceDirectory: directory,
      plugins: plugins.map(({ locked, mode, name, pluginId, sha256, title, version }) => ({
        pluginId,
        name,
        title,
        version: version ?? null,
        mode,
        locked,
        sha256,
        path: join(directory, "plugins", name)
      })),
      blocked: state.blocked.map(({ id, kind, name }) => ({ kind, id, name })),
      allowOtherPlugins: state.allowManageExtensions,
      mcpServers: state.mcpConnections.map(({ name, url }) => ({ name, url })),
      // As the server sent them.
      models: state.models as ReadonlyArray<Json>
    }
  },
  notes: []
})
