import { editDistance } from "@orgplane/schema/shared/edit-distance"

/** Whether a word is a typo of another: their edit distance is at most a third of the shorter word, or 1. */
export const isTypo = (word: string, of: string): boolean => {
  const [typed, name] = [word.replace(/^-+/u, ""), of.replace(/^-+/u, "")]
  const distance = editDistance(typed, name)
  return distance <= Math.max(1, Math.floor(Math.min(typed.length, name.length) / 3)) && typed.length > 1
}
