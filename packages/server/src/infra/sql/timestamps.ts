/** A timestamp in the API's format. The driver returns `Date`; `toISOString` has milliseconds and `Z`. */
export const iso = (date: Date): string => date.toISOString()

export const isoOrNull = (date: Date | null): string | null => (date === null ? null : date.toISOString())
