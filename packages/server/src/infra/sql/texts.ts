/**
 * Texts as one parameter, for `unnest(${texts(…)}::text[])`: for thousands of rows this is smaller than JSON. The
 * client infers the type of an array from its elements, so an array of nulls is written as a literal.
 */
export const texts = (values: ReadonlyArray<string | null>): ReadonlyArray<string | null> | string =>
  values.every((value) => value === null) ? `{${values.map(() => "NULL").join(",")}}` : values

/** Few enough that encoding them does not delay other requests for long. */
export const rowsAtOnce = 4000
