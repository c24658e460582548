/** A LIKE pattern that matches strings that contain the given text. Wildcards in the text are escaped. */
export const contains = (text: string | undefined): string | null =>
  text === undefined ? null : `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
