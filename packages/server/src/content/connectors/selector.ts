import { normalize } from "../../infra/normalize.ts"
import { fold, reasonAgainst } from "./discovery/paths.ts"

/** Why a selector is rejected; undefined if it is valid. */
export const refuseSelector = (selector: string, others: ReadonlyArray<string>): string | undefined => {
  if (selector === ".") return undefined
  const reason = reasonAgainst(selector)
  if (reason !== undefined) return `is not a valid path: ${reason}`
  if (selector.includes("\\")) return "must separate folders with /"
  // Two spellings of a name may look the same, so it would be unclear which one the repository uses.
  if (selector !== normalize(selector, "NFC")) return "must be in Unicode Normalization Form C (NFC)"
  const twin = others.find((other) => other !== selector && fold(other) === fold(selector))
  return twin === undefined
    ? undefined
    : "differs from another mapping's selector only in case or Unicode normalization"
}
