/** An address as those are compared that mean one server: a slash at the end says nothing. */
export const urlKeyOf = (text: string): string => {
  const url = new URL(text)
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/u, "")}${url.search}`
}
