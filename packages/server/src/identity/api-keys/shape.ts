/** The prefix and six characters of the secret: enough to tell two apart, of no use to guess one. */
export const hintOf = (key: string): string => key.slice(0, 10)
