/**
 * The grammar of placeholders. `{{ name }}`, with spaces and tabs as one likes, stands for a variable's value. `{{{{`
 * stands for `{{`: of a run of braces every four are two that stay, and of what is left the last two open a placeholder.
 * So whatever a text says, doubling its `{{` says it, and a placeholder may follow right after.
 */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** Braces that were escaped. */
  | { readonly kind: "braces"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }

export type Pieces =
  | { readonly ok: true; readonly pieces: ReadonlyArray<Piece> }
  | { readonly ok: false; readonly reason: string }

const runs = /\{{2,}/gu
const inside = /[ \t]*([A-Za-z][A-Za-z0-9_]{0,63})[ \t]*\}\}/uy

export const hasBraces = (text: string): boolean => text.includes("{{")

/** Takes a text apart; a `{{` that is neither a placeholder nor escaped is refused. */
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
        reason: `has ${JSON.stringify(shown)} in line ${line}, which is not a placeholder; write "{{{{" for a literal "{{"`
      }
    }
    pieces.push({ kind: "variable", name })
    from = inside.lastIndex
    runs.lastIndex = from
  }
  keep(text.length)
  return { ok: true, pieces }
}
