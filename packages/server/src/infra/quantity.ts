/** `1 object` or `12 objects`. */
export const quantity = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
