/** Texts of numbers, times and addresses. */

/** Such as "1 member" and "1,200 members". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** Such as "Ada, Ben and 3 more". */
export const firstNames = (names: ReadonlyArray<string>, max: number): string =>
  `${names.slice(0, max).join(", ")}${names.length > max ? ` and ${names.length - max} more` : ""}`

/** A time in the form of a `datetime-local` field, in the time zone of the browser. Empty if there is none. */
export const localTime = (at: string | null | undefined): string => {
  const time = Date.parse(at ?? "")
  if (Number.isNaN(time)) return ""
  const offset = new Date(time).getTimezoneOffset() * 60_000
  return new Date(time - offset).toISOString().slice(0, 16)
}

export const isWebPage = (url: string): boolean => /^https?:\/\//i.test(url)
