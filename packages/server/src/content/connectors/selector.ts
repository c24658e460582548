import { normalize } from "../../infra/normalize.ts"
import { fold, reasonAgainst } from "./discovery/paths.ts"

/** Why a selector that a person wrote is not taken; undefined when it is fine. */
export const refuseSelector = (selector: string, others: ReadonlyArray<string>): string | undefined => {
  if (selector === ".") return undefined
  const reason = reasonAgainst(selector)
  if (reason !== undefined) return `is not a valid path: ${reason}`
  if (selector.includes("\\")) return "must separate folders with /"
  // Two spellings of one name: which of them the repository holds cannot be seen.
  if (selector !== normalize(selector, "NFC")) return "must be in Unicode Normalization Form C (NFC)"
  const twin = others.find((other) => other !== selector && fold(other) === fold(selector))
  return twin === undefined
    ? undefined
    : "differs from another mapping's selector only in case or Unicode normalization"
}
