/** Credentials with a form that is not used for anything else, and assignments of long random values. */
const secret =
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{60,255}\b|\bglpat-[A-Za-z0-9_-]{20,64}\b|\bxox[abeoprs]-[A-Za-z0-9-]{10,250}|\bsk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,250}|\b[rs]k_live_[A-Za-z0-9]{16,250}|\bAIza[A-Za-z0-9_-]{35}\b|\bnpm_[A-Za-z0-9]{36}\b|\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,2000}|-----BEGIN (?:[A-Z]{1,10} )?PRIVATE KEY-----/gu

/** The value of an option or variable with the name of a secret, and the password of a URL. */
const assigned =
  /(?<=\b(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|authorization)["']?(?:[ \t]{0,3}[=:][ \t]{0,3}|[ \t]{1,3})(?:bearer )?["']?)[A-Za-z0-9+/_.~-]{12,500}(?![A-Za-z0-9{}$])/giu
const urlPassword = /(?<=\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/gu

/** Replaces secrets in a text that is shown. Digests are computed before. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(secret, "[secret]").replaceAll(assigned, "[secret]").replaceAll(urlPassword, "[secret]")

/** The positions of secrets in a text. */
export const secretsIn = (text: string): ReadonlyArray<number> => [...text.matchAll(secret)].map(({ index }) => index)
