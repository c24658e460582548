/**
 * The cookie of the console: the token of a session, encrypted, so that a copy of the cookie is not a credential of the
 * API. It is sent to the paths of the console only, and only `exchange.ts` decrypts it.
 */
import type { KeyRing } from "../../infra/crypto/key-ring.ts"

export type Sealer = Pick<KeyRing["Service"], "seal" | "tryOpen">

export const cookieName = "orgplane_console"
const sealContext = "console-cookie"

export interface CookieSession {
  readonly token: string
  /** Whether a sign-in of this browser created the session. A token that a person pasted may be in use elsewhere. */
  readonly isOwn: boolean
}

const ownMark = "own "

/** The cookie's value: the ID of the key, the nonce and the encrypted session. */
export const sealCookie = (sealer: Sealer, { isOwn, token }: CookieSession): string => {
  const { ciphertext, keyId, nonce } = sealer.seal(sealContext, isOwn ? ownMark + token : token)
  return [keyId, Buffer.from(nonce).toString("base64url"), Buffer.from(ciphertext).toString("base64url")].join(".")
}

const valuePattern = /^[\w-]{1,64}\.[\w-]{16}\.[\w-]{24,512}$/

/**
 * The session in the `Cookie` header; undefined if it has none that this installation encrypted. Also undefined if it has
 * several: a page on a neighboring host can add a cookie of its own, and the person would work in a session of others.
 */
export const openCookie = (sealer: Sealer, header: string | undefined): CookieSession | undefined => {
  const contents = new Set<string>()
  for (const pair of (header ?? "").split(";")) {
    const [name, value = ""] = pair.trim().split("=", 2)
    if (name !== cookieName || !valuePattern.test(value)) continue
    const [keyId = "", nonce = "", ciphertext = ""] = value.split(".")
    const content = sealer.tryOpen(sealContext, {
      keyId,
      nonce: Buffer.from(nonce, "base64url"),
      ciphertext: Buffer.from(ciphertext, "base64url")
    })
    if (content !== undefined) contents.add(content)
  }
  const [content] = contents
  if (content === undefined || contents.size > 1) return undefined
  const isOwn = content.startsWith(ownMark)
  return { token: isOwn ? content.slice(ownMark.length) : content, isOwn }
}

/** The `Cookie` header without the console's cookie. */
export const otherCookies = (header: string | undefined): string =>
  (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && pair.split("=", 1)[0] !== cookieName)
    .join("; ")

export interface CookieOptions {
  /** The path of the console, such as `/console`. */
  readonly path: string
  /** Whether browsers reach the server over https. */
  readonly isSecure: boolean
}

const attributes = ({ isSecure, path }: CookieOptions) =>
  `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`

/**
 * The longest time for which browsers keep a cookie, 400 days. The session in it ends earlier: it is extended while it is
 * used, and the server checks it with each request.
 */
const keptSeconds = 400 * 86_400

/** The `Set-Cookie` header of a sign-in. */
export const setCookie = (options: CookieOptions, value: string): string =>
  `${cookieName}=${value}; ${attributes(options)}; Max-Age=${keptSeconds}`

/** The `Set-Cookie` header of a sign-out, and of a response to a session that has ended. */
export const clearCookie = (options: CookieOptions): string => `${cookieName}=; ${attributes(options)}; Max-Age=0`
