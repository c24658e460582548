/**
 * What a plugin can do on a member's machine, computed from its files. Not related to the `capabilities` group, which
 * contains mail and calendar.
 */
import * as Schema from "effect/Schema"
import { Sha256 } from "./plugin-archives.ts"
import * as Ids from "./shared/ids.ts"

const place = {
  path: Schema.String.annotate({ description: "The file that defines it, relative to the plugin." }),
  line: Schema.Int.annotate({ description: "The line number in the file, starting at 1." })
}

/** The fields of every element. `path` and `line` are not part of `digest`. */
const element = <const K extends string>(kind: K) => ({
  kind: Schema.Literal(kind),
  id: Schema.String.annotate({
    description: "Identifies the element across versions of a plugin, unless the plugin has several such elements."
  }),
  digest: Sha256.annotate({
    description: "SHA-256 of the complete element, which includes the values that the response omits."
  }),
  summary: Schema.String.annotate({ description: "A sentence that describes the element." }),
  ...place
})

const text = Schema.NullOr(Schema.String)
const texts = Schema.Array(Schema.String)
const details = Schema.String.annotate({
  description:
    "All fields as canonical JSON, at most 2,000 characters. Values of environment variables and headers are omitted, and secrets are replaced."
})

export const ComponentType = Schema.Literals(["skill", "agent", "command", "output_style"])
export type ComponentType = typeof ComponentType.Type

/** A command, prompt or request that an event starts. */
export const HookElement = Schema.Struct({
  ...element("hook"),
  event: Schema.String,
  matcher: text,
  handler: Schema.String.annotate({
    description: "`command`, `http`, `mcp_tool`, `prompt`, `agent` or an unknown type."
  }),
  command: text.annotate({ description: "The command, URL or prompt." }),
  interpreter: text,
  files: texts.annotate({ description: "The files of the plugin that the command names." }),
  details
}).annotate({ identifier: "PluginHookElement" })

/** An MCP server, language server or monitor that the agent starts or connects to. */
export const ServerElement = Schema.Struct({
  ...element("server"),
  serverType: Schema.Literals(["mcp", "lsp", "monitor"]),
  name: Schema.String,
  transport: Schema.String,
  host: text,
  command: text,
  arguments: texts,
  environment: texts.annotate({ description: "The names of environment variables." }),
  headers: texts.annotate({ description: "The names of headers." }),
  files: texts,
  details
}).annotate({ identifier: "PluginServerElement" })

/** A file that can be run. */
export const ExecutableElement = Schema.Struct({
  ...element("executable"),
  sha256: Sha256,
  interpreter: text,
  isExecutable: Schema.Boolean
}).annotate({ identifier: "PluginExecutableElement" })

/** A skill, agent, command or output style. Its text is not part of the element; its front matter is. */
export const ComponentElement = Schema.Struct({
  ...element("component"),
  componentType: ComponentType,
  name: Schema.String,
  model: text,
  permissionMode: text,
  details
}).annotate({ identifier: "PluginComponentElement" })

/** A tool that a component may use. `*` means all tools. */
export const ToolElement = Schema.Struct({
  ...element("tool"),
  componentType: ComponentType,
  name: Schema.String,
  tool: Schema.String
}).annotate({ identifier: "PluginToolElement" })

/** A shell command in the text of a component, which runs when the component is loaded. */
export const InlineCommandElement = Schema.Struct({
  ...element("inline_command"),
  name: Schema.String,
  command: Schema.String
}).annotate({ identifier: "PluginInlineCommandElement" })

export const NetworkHostElement = Schema.Struct({
  ...element("network_host"),
  host: Schema.String
}).annotate({ identifier: "PluginNetworkHostElement" })

/** A path outside the plugin, or a symbolic link. */
export const LinkElement = Schema.Struct({
  ...element("link"),
  target: Schema.String
}).annotate({ identifier: "PluginLinkElement" })

/** A field of the manifest or of the settings. */
export const SettingElement = Schema.Struct({
  ...element("setting"),
  field: Schema.String,
  details
}).annotate({ identifier: "PluginSettingElement" })

/** A field or file that orgplane does not recognize. It counts as a capability. */
export const UnknownElement = Schema.Struct({
  ...element("unknown"),
  field: text.annotate({ description: "The unknown field. Null if the whole file is unknown." }),
  details
}).annotate({ identifier: "PluginUnknownElement" })

/** A file that cannot be read completely. Every change to it counts as a change of capabilities. */
export const UnparsableElement = Schema.Struct({
  ...element("unparsable"),
  reason: Schema.String,
  sha256: Sha256
}).annotate({ identifier: "PluginUnparsableElement" })

export const CapabilityElement = Schema.Union([
  HookElement,
  ServerElement,
  ExecutableElement,
  ComponentElement,
  ToolElement,
  InlineCommandElement,
  NetworkHostElement,
  LinkElement,
  SettingElement,
  UnknownElement,
  UnparsableElement
])
export type CapabilityElement = typeof CapabilityElement.Type

/** The rules for signals, by id. `changed_host` needs an earlier version to compare with. */
export const signalRules = [
  "secret_in_file",
  "invisible_unicode",
  "bidirectional_control",
  "encoded_shell",
  "download_to_shell",
  "look_alike_name",
  "changed_host",
  "hidden_instructions"
] as const
export const SignalRule = Schema.Literals(signalRules).annotate({ identifier: "PluginSignalRule" })
export type SignalRule = typeof SignalRule.Type

/** A part of a file that a reviewer should read. Signals are not part of the set. */
export const Signal = Schema.Struct({
  rule: SignalRule,
  ...place,
  message: Schema.String
}).annotate({ identifier: "PluginSignal" })
export type Signal = typeof Signal.Type

export const elementsListedMax = 2000
export const signalsListedMax = 500
export const comparedSignalsMax = 100

const set = {
  pluginId: Ids.PluginId,
  digest: Sha256.annotate({
    description:
      "SHA-256 of the sorted element digests in hex, each followed by a line feed. Two plugins with the same digest have the same capabilities."
  }),
  elements: Schema.Array(CapabilityElement).annotate({
    description: "Sorted by kind, id and digest. At most 2,000 elements; the digest covers all."
  }),
  elementCount: Schema.Int,
  truncated: Schema.Boolean.annotate({ description: "Whether there are more elements or signals than listed." }),
  signals: Schema.Array(Signal).annotate({ description: "At most 500 signals." })
}

/** The capability set of a plugin. */
export const PluginCapabilities = Schema.Struct(set).annotate({ identifier: "PluginCapabilities" })
export type PluginCapabilities = typeof PluginCapabilities.Type

/** The capability set of a release of a plugin. */
export const ReleaseCapabilities = Schema.Struct({ releaseId: Ids.PluginReleaseId, ...set }).annotate({
  identifier: "PluginReleaseCapabilities"
})
export type ReleaseCapabilities = typeof ReleaseCapabilities.Type

const CapabilityChange = Schema.Struct({
  kind: Schema.String.annotate({ description: "The kind of the element." }),
  id: Schema.String,
  sentence: Schema.String.annotate({ description: "A sentence that describes the change." }),
  ...place
}).annotate({ identifier: "PluginCapabilityChange" })
export type CapabilityChange = typeof CapabilityChange.Type

/** How a capability set differs from an earlier one. */
export const CapabilityComparison = Schema.Struct({
  needsReview: Schema.Boolean.annotate({
    description: "Whether something was added or changed. If elements were only removed, no review is needed."
  }),
  grew: Schema.Array(CapabilityChange),
  changed: Schema.Array(CapabilityChange),
  shrank: Schema.Array(CapabilityChange),
  truncated: Schema.Boolean.annotate({
    description: "Whether a list was truncated to 200 changes, or the signals to 100."
  }),
  signals: Schema.optionalKey(
    Schema.Array(Signal).annotate({
      description: "Changed network hosts, and signals of the later version that the earlier one did not have."
    })
  )
}).annotate({ identifier: "PluginCapabilityComparison" })
export type CapabilityComparison = typeof CapabilityComparison.Type

const isRuleList = Schema.makeFilter((value: string) =>
  value.split(",").every((rule) => signalRules.some((name) => name === rule))
    ? undefined
    : `must be a comma-separated list of: ${signalRules.join(", ")}`
)

/** The switch for signal rules in queries. */
export const CapabilitiesQuery = {
  disabledRules: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(500), isRuleList).annotate({
      description: `Signal rules to turn off, separated by commas. Rules: ${signalRules.map((rule) => `\`${rule}\``).join(", ")}. Default: none.`
    })
  )
}
