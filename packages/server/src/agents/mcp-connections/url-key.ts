/** An address as those are compared that mean one server: a slash at the end says nothing. */
import { withoutTrailing } from "../../infra/normalize.ts"
export const urlKeyOf = (text: string): string => {
  const url = new URL(text)
  return `${url.protocol}//${url.host}${withoutTrailing(url.pathname, "/")}${url.search}`
}
