import { normalize } from "../../infra/normalize.ts"
import { fold, reasonAgainst } from "./discovery/paths.ts"

/** Why a selector that a person wrote is not taken; undefined when it is fine. */
export const refuseSelector = (selector: string, others: ReadonlyArray<string>): string | undefined => {
  if (selector === ".") return undefined
  const reason = reasonAgainst(selector)
  if (reason !== undefined) return `is refused: ${reason}`
  if (selector.includes("\\")) return "is refused: folders are separated by /"
  // Two spellings of one name: which of them the repository holds cannot be seen.
  if (selector !== normalize(selector, "NFC")) return "is refused: it is not in Unicode normal form C"
  const twin = others.find((other) => other !== selector && fold(other) === fold(selector))
  return twin === undefined ? undefined : "differs from another mapping's selector in case or normalisation only"
}
