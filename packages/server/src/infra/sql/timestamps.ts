/** A moment as every answer carries it. Our driver hands out `Date`; `toISOString` has milliseconds and `Z`. */
export const iso = (date: Date): string => date.toISOString()

export const isoOrNull = (date: Date | null): string | null => (date === null ? null : date.toISOString())
