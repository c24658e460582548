import { randomBytes } from "node:crypto"

/** 32 letters and digits that cannot be confused (no 0, 1, I, O), so that each encodes five random bits. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
const length = 8

/** A new sign-in code: 40 random bits. */
export const makeCode = (): string => [...randomBytes(length)].map((byte) => alphabet[byte & 31]).join("")

/** A code as it appears in an email. */
export const formatCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** The original code, from what a user typed. */
export const readCode = (typed: string): string => typed.toUpperCase().replace(/[\s-]/g, "")
