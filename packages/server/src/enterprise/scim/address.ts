import { normalizeEmail } from "../../identity/users/email.ts"

interface Email {
  readonly value?: unknown
  readonly type?: unknown
  readonly primary?: unknown
}

const isEmail = (value: unknown): value is Email & { readonly value: string } =>
  typeof value === "object" && value !== null && "value" in value && typeof value.value === "string"

/**
 * The normalized email address of a SCIM user, in this order: the primary one, the first of type work, any other, the
 * userName if it is an email address.
 */
export const addressOf = (userName: string, emails: unknown): string | undefined => {
  const all = Array.isArray(emails) ? emails.filter(isEmail).filter(({ value }) => value.trim() !== "") : []
  const chosen =
    all.find(({ primary }) => primary === true) ??
    all.find(({ type }) => typeof type === "string" && type.toLowerCase() === "work") ??
    all[0]
  return (chosen === undefined ? undefined : normalizeEmail(chosen.value)) ?? normalizeEmail(userName)
}
