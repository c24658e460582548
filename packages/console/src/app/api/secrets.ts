/** Secrets are not shown in requests as code: "Show as code" would put them on a screen and into a clipboard. */

/** Names of fields whose texts are secrets, in the inputs of all operations. */
const secretFields: ReadonlySet<string> = new Set([
  "accessToken",
  "apiKey",
  "clientSecret",
  "code",
  "codeVerifier",
  "credential",
  "password",
  "privateKey",
  "refreshToken",
  "secret",
  "secretAccessKey",
  "token"
])
/** Objects whose values are secrets, such as headers that are sent to a server. */
const secretRecords: ReadonlySet<string> = new Set(["environment", "headers", "secrets"])

export const hidden = "<secret>"

const hide = (value: unknown): unknown =>
  typeof value === "string"
    ? hidden
    : Array.isArray(value)
      ? value.map(hide)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hide(each)]))
        : value

/** A copy of an input in which every secret is replaced. */
export const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      secretFields.has(name) || secretRecords.has(name) ? hide(each) : withoutSecrets(each)
    ])
  )
}
