/**
 * Texts as one parameter, for `unnest(${texts(…)}::text[])`: thousands of rows travel so for less than as JSON. The client
 * takes the type of an array from what is in it, so one that holds only nulls is written out.
 */
export const texts = (values: ReadonlyArray<string | null>): ReadonlyArray<string | null> | string =>
  values.every((value) => value === null) ? `{${values.map(() => "NULL").join(",")}}` : values

/** So many that nothing else waits long while they are written out. */
export const rowsAtOnce = 4000
