/**
 * The grammar of placeholders. `{{ name }}`, with optional spaces and tabs, is replaced by a variable's value. `{{{{`
 * is a literal `{{`: in a run of opening braces, each group of four becomes two literal braces, and the last two of the
 * remainder open a placeholder. Any text can therefore be written by doubling its `{{`, and a placeholder may follow
 * directly.
 */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** Escaped braces. */
  | { readonly kind: "braces"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }

export type Pieces =
  | { readonly ok: true; readonly pieces: ReadonlyArray<Piece> }
  | { readonly ok: false; readonly reason: string }

const runs = /\{{2,}/gu
const inside = /[ \t]*([A-Za-z][A-Za-z0-9_]{0,63})[ \t]*\}\}/uy

export const hasBraces = (text: string): boolean => text.includes("{{")

/** Splits a text into pieces. A `{{` that is neither a placeholder nor escaped is an error. */
export const readPieces = (text: string): Pieces => {
  const pieces: Array<Piece> = []
  let from = 0
  const keep = (to: number) => {
    if (to > from) pieces.push({ kind: "text", text: text.slice(from, to) })
  }
  runs.lastIndex = 0
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
    const length = run[0].length
    keep(run.index)
    from = run.index + length
    const rest = length % 4
    const braces = Math.floor(length / 4) * 2 + (rest % 2)
    if (braces > 0) pieces.push({ kind: "braces", text: "{".repeat(braces) })
    if (rest < 2) continue
    inside.lastIndex = from
    const name = inside.exec(text)?.[1]
    if (name === undefined) {
      const line = text.slice(0, from).split("\n").length
      const shown = text.slice(from - 2, from + 30).split("\n", 1)[0] ?? ""
      return {
        ok: false,
        reason: `has ${JSON.stringify(shown)} on line ${line}, which is not a placeholder; write "{{{{" for a literal "{{"`
      }
    }
    pieces.push({ kind: "variable", name })
    from = inside.lastIndex
    runs.lastIndex = from
  }
  keep(text.length)
  return { ok: true, pieces }
}
