/** Writes a configuration document as YAML for version control. */
import type * as Yaml from "yaml"
import { escapeVariables } from "@orgplane/schema/shared/configuration-files/variables"
import { escapeYaml, hasControls } from "../output/escape.ts"
import { isObject } from "../output/value.ts"
import { yamlLibrary } from "./yaml-library.ts"

/** Documents are written with the same options by all commands, so that `format` keeps what `export` writes. */
const lineOptions = { lineWidth: 0 } as const
const foldedWidth = 100

/**
 * Wraps the lines of folded blocks only, so that other text stays on its line. Control characters in quotes are escaped:
 * they would be invisible.
 */
const withTextStyle = (tags: Yaml.Tags): Yaml.Tags =>
  tags.map((tag): Yaml.Tags[number] => {
    if (typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:str") return tag
    const { stringify } = tag as Yaml.ScalarTag
    return {
      ...(tag as Yaml.ScalarTag),
      stringify: (item, context, onComment, onChompKeep) => {
        const options = item.type === "BLOCK_FOLDED" ? { ...context.options, lineWidth: foldedWidth } : context.options
        const text = stringify?.(item, { ...context, options }, onComment, onChompKeep) ?? ""
        return text.startsWith('"') ? escapeYaml(text) : text
      }
    }
  })

/** For documents that `documentText` writes. */
export const documentOptions = { customTags: withTextStyle } as const

export const documentText = (document: Yaml.Document): string => {
  const text = document.toString(lineOptions)
  return text.endsWith("\n") ? text : `${text}\n`
}

const escaped = (value: unknown): unknown => {
  if (typeof value === "string") return escapeVariables(value)
  if (Array.isArray(value)) return value.map(escaped)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)]))
    : value
}

/** The document with escaped text where it looks like a variable. */
export const withEscapedVariables = (document: unknown): unknown => escaped(document)

/** The document with a comment that names its JSON Schema, for editors. Text of several lines is written as a block. */
export const exportedYaml = (document: unknown, schemaUrl: string): string => {
  const { Document, isMap, isScalar, visit } = yamlLibrary()
  const yaml = new Document(withEscapedVariables(document) ?? {}, { aliasDuplicateObjects: false, ...documentOptions })
  visit(yaml, {
    Scalar: (_, node) => {
      // Only double-quoted text supports escapes.
      if (typeof node.value === "string" && hasControls(node.value.replaceAll("\n", ""))) node.type = "QUOTE_DOUBLE"
    }
  })
  if (isMap(yaml.contents)) {
    for (const { key } of yaml.contents.items.slice(1)) if (isScalar(key)) key.spaceBefore = true
  }
  return `# yaml-language-server: $schema=${schemaUrl}\n${documentText(yaml)}`
}
