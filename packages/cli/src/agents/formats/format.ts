/** What an agent's file must contain. */
import type { InstalledPlugin } from "../plan.ts"
import type { Scope } from "../paths.ts"
import type { Entry, Json } from "../settings-text.ts"
import type { DesiredState } from "../state.ts"

export interface McpServer {
  readonly url?: string
  readonly command?: ReadonlyArray<string>
}

/** What earlier syncs have blocked. */
export interface Blocks {
  /** Plugins: `name@marketplace`. */
  readonly plugins: ReadonlyArray<string>
  readonly marketplaceUrls: ReadonlyArray<string>
}

export interface FormatInput {
  readonly state: DesiredState
  /** The server that sent the state. */
  readonly baseUrl: string
  readonly scope: Scope
  /** The absolute path of the marketplace directory. */
  readonly directory: string
  readonly plugins: ReadonlyArray<InstalledPlugin>
  /** The MCP servers of the installed plugins. */
  readonly servers: ReadonlyArray<McpServer>
  /** The plugins that the user has turned on or off: `name@marketplace`. */
  readonly userPlugins: ReadonlyArray<string>
  /** Blocks that stay although the state does not contain them, because it is incomplete. */
  readonly keptBlocks: Blocks
}

/** `entries`: single values in a file that belongs to the user. `whole`: a file that belongs to orgplane. */
export type Target =
  | { readonly kind: "entries"; readonly entries: ReadonlyArray<Entry> }
  | { readonly kind: "whole"; readonly value: { readonly [name: string]: Json } }

export interface FormatOutput {
  readonly target: Target
  readonly notes: ReadonlyArray<string>
}
