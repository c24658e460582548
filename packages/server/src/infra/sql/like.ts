/** A LIKE pattern that matches texts that contain the given text; its wildcards are escaped. */
export const contains = (text: string | undefined): string | null =>
  text === undefined ? null : `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
