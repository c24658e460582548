import { Document, isScalar, visit } from "yaml"
import { harmlessYaml, isHarmful } from "./harmless.ts"

/** YAML that reads back as the same value, with control characters as escapes. */
export const yaml = (value: unknown): string => {
  const document = new Document(value ?? null)
  visit(document, {
    Scalar(_, node) {
      // Only a double-quoted scalar can hold an escape; text of several lines stays a block.
      if (isScalar(node) && typeof node.value === "string" && isHarmful(node.value.replaceAll("\n", ""))) {
        node.type = "QUOTE_DOUBLE"
      }
    }
  })
  return harmlessYaml(document.toString({ lineWidth: 0 })).trimEnd()
}
