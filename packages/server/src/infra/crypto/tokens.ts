import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"

/** The kind of a credential, visible in its prefix. */
export type TokenPrefix = "ops" | "opk" | "opi" | "opc" | "opw" | "opd" | "opl"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secretLength = 43
const checksumLength = 6

const base62 = (value: bigint, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet[Number(rest % 62n)] + text
  return text
}

const checksum = (text: string) => base62(BigInt(crc32(text)), checksumLength)

/**
 * A new credential: prefix, 256 random bits in base62, and a CRC-32 of both, so that a secret scanner can recognize a
 * real one offline.
 */
export const makeToken = (prefix: TokenPrefix): string => {
  const body = `${prefix}_${base62(BigInt(`0x${randomBytes(32).toString("hex")}`), secretLength)}`
  return body + checksum(body)
}

/** Whether the text has the format and the checksum of a credential of that kind. */
export const isToken = (prefix: TokenPrefix, text: string): boolean => {
  const length = prefix.length + 1 + secretLength + checksumLength
  if (text.length !== length || !text.startsWith(`${prefix}_`)) return false
  const body = text.slice(0, length - checksumLength)
  return checksum(body) === text.slice(length - checksumLength)
}

/** A random secret of 256 bits for values that only this server reads. */
export const makeSecret = (): string => randomBytes(32).toString("base64url")
