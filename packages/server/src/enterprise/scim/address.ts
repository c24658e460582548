import { normaliseEmail } from "../../identity/users/email.ts"

interface Email {
  readonly value?: unknown
  readonly type?: unknown
  readonly primary?: unknown
}

const isEmail = (value: unknown): value is Email & { readonly value: string } =>
  typeof value === "object" && value !== null && "value" in value && typeof value.value === "string"

/**
 * The address that a directory knows a person by: the primary one, else the first of work, else any, else the userName
 * where that is one. Normalised.
 */
export const addressOf = (userName: string, emails: unknown): string | undefined => {
  const all = Array.isArray(emails) ? emails.filter(isEmail).filter(({ value }) => value.trim() !== "") : []
  const chosen =
    all.find(({ primary }) => primary === true) ??
    all.find(({ type }) => typeof type === "string" && type.toLowerCase() === "work") ??
    all[0]
  return (chosen === undefined ? undefined : normaliseEmail(chosen.value)) ?? normaliseEmail(userName)
}
