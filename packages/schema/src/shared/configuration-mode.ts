import * as Schema from "effect/Schema"

export const ConfigurationMode = Schema.Literals(["plan", "apply"]).annotate({
  identifier: "ConfigurationMode",
  description: "`plan`: only reports how the organization differs from the files. `apply`: also applies them."
})
export type ConfigurationMode = typeof ConfigurationMode.Type
