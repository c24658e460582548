/** The comparison key of a server URL: a trailing slash is ignored. */
import { withoutTrailing } from "../../infra/normalize.ts"
export const urlKeyOf = (text: string): string => {
  const url = new URL(text)
  return `${url.protocol}//${url.host}${withoutTrailing(url.pathname, "/")}${url.search}`
}
