/** Renders a template preview: the plugin, its config objects, the start of their texts. */
import { listAt, member, textAt } from "./cell.ts"
import { type Pen, paint } from "./chain.ts"
import { harmless } from "./harmless.ts"

const bold = 1
const faint = 2
const green = 32
const linesMax = 30

const textLines = (text: string, pen: Pen): ReadonlyArray<string> => {
  const lines = text.replace(/\n$/u, "").split("\n")
  const more = lines.length - linesMax
  const bar = pen.unicode ? "│" : "|"
  return [
    ...lines.slice(0, linesMax).map((line) => `    ${bar} ${harmless(line.replaceAll("\t", "    "))}`),
    ...(more > 0
      ? [paint(pen, faint, `    ${bar} (${more} more ${more === 1 ? "line" : "lines"}; use -o json for all)`)]
      : [])
  ]
}

const objectLines = (object: unknown, pen: Pen): ReadonlyArray<string> => {
  const said = [textAt(object, "objectType"), textAt(object, "title"), textAt(object, "currentRelativePath")]
  const head = said
    .filter((part) => part !== undefined)
    .map(harmless)
    .join("  ")
  const text = textAt(object, "rawSourceText") ?? JSON.stringify(member(object, "normalizedPayloadJson"), null, 2)
  return ["", paint(pen, green, `+ ${head}`), ...textLines(text, pen)]
}

export const preview = (body: unknown, pen: Pen): string => {
  const about = member(body, "preview")
  const objects = listAt(about, "configObjects")
  const description = textAt(about, "plugin.description")
  const ordinal = member(about, "template.ordinal")
  return [
    paint(pen, bold, `+ plugin  ${harmless(textAt(about, "plugin.name") ?? "?")}`),
    ...(description === undefined ? [] : [`  ${harmless(description)}`]),
    ...objects.flatMap((object) => objectLines(object, pen)),
    "",
    `A plugin with ${objects.length} config ${objects.length === 1 ? "object" : "objects"} from version ${String(ordinal)}. Nothing was created.`
  ].join("\n")
}
