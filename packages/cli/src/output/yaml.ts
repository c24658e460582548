import type * as Yaml from "yaml"
import { escapeYaml, hasControls } from "./escape.ts"
import { enableRequire } from "./require.ts"

enableRequire()

/** Renders YAML with escaped control characters. Parsing it returns the same value. */
export const yaml = (value: unknown): string => {
  const { Document, isScalar, visit } = require("yaml") as typeof Yaml
  const document = new Document(value ?? null)
  visit(document, {
    Scalar(_, node) {
      // Only double-quoted scalars support escapes. Other multi-line text stays a block.
      if (isScalar(node) && typeof node.value === "string" && hasControls(node.value.replaceAll("\n", ""))) {
        node.type = "QUOTE_DOUBLE"
      }
    }
  })
  return escapeYaml(document.toString({ lineWidth: 0 })).trimEnd()
}
