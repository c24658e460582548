import type { ObjectType } from "@orgplane/schema/connectors"
import { type CapabilitySet, capabilitiesOf } from "./analyze.ts"

/** The path at which an agent would find an object of a type. */
const pathOf = (type: ObjectType, relativePath: string | null, fileName: string | null): string => {
  switch (type) {
    case "skill":
      return "skills/skill/SKILL.md"
    case "agent":
      return "agents/agent.md"
    case "command":
      return "commands/command.md"
    case "hook":
      return "hooks/hooks.json"
    case "mcp":
      return ".mcp.json"
    default:
      return relativePath ?? fileName ?? "custom/object.md"
  }
}

/** The capabilities of one version of an object, as the only file of a plugin. A version without content has none. */
export const objectCapabilities = (
  object: {
    readonly object_type: ObjectType
    readonly relative_path: string | null
    readonly file_name: string | null
  },
  version: { readonly v_text: string | null; readonly v_payload: unknown; readonly v_is_deleted: boolean }
): CapabilitySet => {
  if (version.v_is_deleted) return capabilitiesOf([])
  const text = version.v_text ?? JSON.stringify(version.v_payload ?? {})
  const content = new TextEncoder().encode(text)
  const path = pathOf(object.object_type, object.relative_path, object.file_name)
  return capabilitiesOf([{ path, isExecutable: text.startsWith("#!"), content }])
}
