import { failed } from "./failure.ts"

const refused = (message: string) => failed("not_a_repository", message)

const charactersMax = 2048

const otherSchemes: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(ssh|git\+ssh|ssh\+git):/i, "Repositories are not read over SSH: give the https address."],
  [/^git:/i, "The git protocol is neither private nor checked: give the https address."],
  [/^[a-z0-9]+::/i, "Remote helpers are not run: give an https address."]
]

/**
 * The one spelling of a remote repository, which is its identity: lower-case host, no default port, no user info, no
 * query, no trailing `/` or `.git`. Which spelling the host wants is found out when it is asked.
 */
export const normaliseRemote = (typed: string, allowHttp: boolean): string => {
  const text = typed.trim()
  if (text.length > charactersMax) throw refused("The address is too long.")
  for (const [pattern, message] of otherSchemes) if (pattern.test(text)) throw refused(message)
  const scheme = /^(https?):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) {
    if (/^[^/\s]+@[^/\s]+:|^[^/\s:]+:(?!\/\/)/.test(text))
      throw refused("Repositories are not read over SSH: give the https address.")
    throw refused("The address of a repository starts with https://.")
  }
  if (scheme === "http" && !allowHttp) throw refused("Repositories are read over https only.")
  // eslint-disable-next-line no-control-regex
  if (/[\\\s\u0000-\u001f\u007f]/.test(text))
    throw refused("The address holds characters that no address of a repository has.")
  const url = URL.parse(text)
  if (url === null) throw refused("The address of the repository is not a valid URL.")
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    throw refused("The address must not hold a user name or a password: give the credential by itself.")
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    throw refused("The address of a repository has neither a query nor a fragment.")
  }
  const host = url.host.replace(/^([^:[\]]+?)\.(?=:|$)/, "$1")
  const path = url.pathname
    .replace(/\/{2,}/g, "/")
    .replace(/\/$/, "")
    .replace(/([^/])(\.git)+$/i, "$1")
    .replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase())
  if (path === "" || host === "") throw refused("The address names a host but no repository.")
  // oxlint-disable-next-line no-control-regex -- what a terminal or a database would stumble over
  if (/[\u0000-\u001f\u007f\ufffd]/.test(decoded(path))) throw refused("The address is not percent-encoded text.")
  return `${url.protocol}//${host}${path}`
}

/** The path as text; U+FFFD where it is none. */
const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return "\ufffd"
  }
}

/** The addresses to ask, likeliest first: most hosts serve both, some only the one that ends in `.git`, few only the other. */
export const addressesOf = (cloneUrl: string): ReadonlyArray<string> =>
  cloneUrl.endsWith("/.git") ? [cloneUrl] : [`${cloneUrl}.git`, cloneUrl]

export const fullNameOf = (cloneUrl: string): string => {
  const parts = new URL(cloneUrl).pathname.split("/").filter((part) => part !== "" && part !== ".git")
  const text = parts.slice(-2).join("/")
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
