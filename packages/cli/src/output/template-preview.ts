/** Renders a template preview: the plugin, its config objects, and the beginning of their source text. */
import { listAt, member, textAt } from "./value.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls } from "./escape.ts"

const bold = 1
const faint = 2
const green = 32
const linesMax = 30

const textLines = (text: string, style: TextStyle): ReadonlyArray<string> => {
  const lines = text.replace(/\n$/u, "").split("\n")
  const more = lines.length - linesMax
  const bar = style.unicode ? "│" : "|"
  return [
    ...lines.slice(0, linesMax).map((line) => `    ${bar} ${escapeControls(line.replaceAll("\t", "    "))}`),
    ...(more > 0
      ? [paint(style, faint, `    ${bar} (${more} more ${more === 1 ? "line" : "lines"}; use -o json for all)`)]
      : [])
  ]
}

const objectLines = (object: unknown, style: TextStyle): ReadonlyArray<string> => {
  const parts = [textAt(object, "objectType"), textAt(object, "title"), textAt(object, "currentRelativePath")]
  const header = parts
    .filter((part) => part !== undefined)
    .map(escapeControls)
    .join("  ")
  const text = textAt(object, "rawSourceText") ?? JSON.stringify(member(object, "normalizedPayloadJson"), null, 2)
  return ["", paint(style, green, `+ ${header}`), ...textLines(text, style)]
}

export const preview = (body: unknown, style: TextStyle): string => {
  const about = member(body, "preview")
  const objects = listAt(about, "configObjects")
  const description = textAt(about, "plugin.description")
  const ordinal = member(about, "template.ordinal")
  return [
    paint(style, bold, `+ plugin  ${escapeControls(textAt(about, "plugin.name") ?? "?")}`),
    ...(description === undefined ? [] : [`  ${escapeControls(description)}`]),
    ...objects.flatMap((object) => objectLines(object, style)),
    "",
    `A plugin with ${objects.length} config ${objects.length === 1 ? "object" : "objects"} from version ${String(ordinal)}. Nothing was created.`
  ].join("\n")
}
