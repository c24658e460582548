/** The prefix and six characters of the secret: enough to distinguish two keys, and useless for guessing one. */
export const hintOf = (key: string): string => key.slice(0, 10)
