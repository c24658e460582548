import { randomBytes } from "node:crypto"

/** 32 letters and digits that are not taken for each other, so five random bits are one of them: no 0, 1, I, O. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
const length = 8

/** A new sign-in code: 40 random bits. */
export const makeCode = (): string => [...randomBytes(length)].map((byte) => alphabet[byte & 31]).join("")

/** As a person reads it off a letter. */
export const spelled = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** A code as it was made, from how a person types it. */
export const readCode = (typed: string): string => typed.toUpperCase().replace(/[\s-]/g, "")
