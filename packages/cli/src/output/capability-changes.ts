/** Renders the changes of a plugin's capabilities since an earlier version. */
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls } from "./escape.ts"
import { listAt, member, textAt } from "./value.ts"

type ColorStyle = Pick<TextStyle, "colors">

const green = 32
const yellow = 33
const red = 31
const faint = 2

const signs = { grew: ["+", green], changed: ["~", yellow], shrank: ["-", red] } as const

/** The file and line that define a part of a plugin. */
const placeOf = (part: unknown): string => {
  const number = member(part, "line")
  return escapeControls(`${textAt(part, "path") ?? ""}${typeof number === "number" ? `:${number}` : ""}`)
}

const partLine = (part: unknown, color: number, text: string, style: ColorStyle): string => {
  const place = placeOf(part)
  const line = paint(style, color, escapeControls(text))
  return place === "" ? line : `${line}${paint(style, faint, `  ${place}`)}`
}

/** One line for each capability that was added, changed or removed, and for each signal. */
export const capabilityLines = (comparison: unknown, style: ColorStyle): ReadonlyArray<string> => [
  ...(["grew", "changed", "shrank"] as const).flatMap((list) =>
    listAt(comparison, list).map((change) => {
      const [sign, color] = signs[list]
      return partLine(change, color, `${sign} ${textAt(change, "sentence") ?? ""}`, style)
    })
  ),
  ...listAt(comparison, "signals").map((signal) =>
    partLine(signal, yellow, `! ${textAt(signal, "rule") ?? ""}: ${textAt(signal, "message") ?? ""}`, style)
  ),
  ...(member(comparison, "truncated") === true ? [paint(style, yellow, "more changes are not shown")] : [])
]
