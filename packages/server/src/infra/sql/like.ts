/** A LIKE pattern for «contains this text», with the caller's own wildcards made plain. */
export const contains = (text: string | undefined): string | null =>
  text === undefined ? null : `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
