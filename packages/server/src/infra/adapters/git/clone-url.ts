import { failed } from "./failure.ts"

const refused = (message: string) => failed("not_a_repository", message)

const charactersMax = 2048

const otherSchemes: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(ssh|git\+ssh|ssh\+git):/i, "SSH is not supported. Use the https URL of the repository."],
  [/^git:/i, "The git protocol is not supported because it is not encrypted. Use the https URL of the repository."],
  [/^[a-z0-9]+::/i, "Remote helpers are not supported. Use the https URL of the repository."]
]

/**
 * The normalized URL of a remote repository, which identifies it: lower-case host, no default port, user info, query,
 * trailing `/` or `.git`. The URL that the host expects is determined when the repository is read.
 */
export const normalizeRemote = (typed: string, allowHttp: boolean): string => {
  const text = typed.trim()
  if (text.length > charactersMax) throw refused(`The URL must have at most ${charactersMax} characters.`)
  for (const [pattern, message] of otherSchemes) if (pattern.test(text)) throw refused(message)
  const scheme = /^(https?):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) {
    if (/^[^/\s]+@[^/\s]+:|^[^/\s:]+:(?!\/\/)/.test(text))
      throw refused("SSH is not supported. Use the https URL of the repository.")
    throw refused("The URL of the repository must start with https://.")
  }
  if (scheme === "http" && !allowHttp) throw refused("The URL of the repository must use https.")
  // eslint-disable-next-line no-control-regex
  if (/[\\\s\u0000-\u001f\u007f]/.test(text))
    throw refused("The URL must not contain spaces, backslashes or control characters.")
  const url = URL.parse(text)
  if (url === null) throw refused("The URL of the repository is not valid.")
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    throw refused("The URL must not contain a user name or a password. Pass the credential separately.")
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    throw refused("The URL of the repository must not have a query or a fragment.")
  }
  const host = url.host.replace(/^([^:[\]]+?)\.(?=:|$)/, "$1")
  const path = url.pathname
    .replace(/\/{2,}/g, "/")
    .replace(/\/$/, "")
    .replace(/([^/])(\.git)+$/i, "$1")
    .replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase())
  if (path === "" || host === "") throw refused("The URL has a host but no repository path.")
  // oxlint-disable-next-line no-control-regex -- control characters break terminals and databases
  if (/[\u0000-\u001f\u007f\ufffd]/.test(decoded(path)))
    throw refused("The path of the URL must be percent-encoded UTF-8 text.")
  return `${url.protocol}//${host}${path}`
}

/** The decoded path; U+FFFD when it is not valid UTF-8. */
const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return "\ufffd"
  }
}

/** The URLs to try, likeliest first: most hosts serve both, some only the one with `.git`, few only the other. */
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
