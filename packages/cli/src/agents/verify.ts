/** Verifies a desired state: signature, subject and revision. */
import { createHash } from "node:crypto"
import { verifyEd25519 } from "../ed25519.ts"
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { type DesiredState, desiredStateOf, type PublicKey } from "./state.ts"

export const sha256Of = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const failed = (reason: string) =>
  new Failure(exit.failure, `Verification of the desired state failed: ${reason}. Nothing was changed.`)

interface SignedBody {
  readonly body: string
  readonly signature: string
  readonly keyId: string
}

const signedText = ({ organizationId, revision, subject }: DesiredState, sha256: string): string =>
  `orgplane desired state\n${organizationId}\n${subject}\n${revision}\n${sha256}\n`

const isSignedBy = (key: PublicKey, text: string, signature: string): boolean => {
  try {
    return verifyEd25519(key.x, text, signature)
  } catch {
    return false
  }
}

/** The state in a body, if one of the keys signed it. */
export const verifiedState = ({ body, keyId, signature }: SignedBody, keys: ReadonlyArray<PublicKey>): DesiredState => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw failed("it is not valid JSON")
  }
  const state = desiredStateOf(value)
  const key = keys.find(({ kid }) => kid === keyId)
  if (key === undefined) throw failed(`the server does not publish the key ${keyId}`)
  if (state.signingKeyId !== keyId) throw failed(`it requires a signature by the key ${state.signingKeyId}`)
  if (!isSignedBy(key, signedText(state, sha256Of(body)), signature)) {
    throw failed("the signature does not match the server's key")
  }
  return state
}

/** The server renews a state every 6 hours. Servers whose clocks differ issue the states of two periods at the same time. */
const renewalMillis = 6 * 3_600_000

/** A rotation takes effect between two requests, and the clocks of two machines differ. */
const skewMillisMax = 600_000

/**
 * Refuses a key that must not sign new states: one that differs from the key with the same id that was used before, and
 * one that the server has retired. The server signs each state that it sends with its current key.
 */
export const checkKey = (key: PublicKey, before: PublicKey | undefined, nowMillis: number): void => {
  if (before !== undefined && before.x !== key.x)
    throw failed(
      `the key ${key.kid} differs from the key with this ID at the last sync. Ask the operator of the server. To trust the new key, run 'orgplane agents remove' first`
    )
  if (key.retiredAt === undefined) return
  const sinceMillis = nowMillis - Date.parse(key.retiredAt)
  // The negation also refuses an invalid time.
  if (!(sinceMillis <= skewMillisMax))
    throw failed(
      `the key ${key.kid} was retired at ${key.retiredAt}, and must not sign new states. Check the clock of this machine. If it is correct, ask the operator of the server`
    )
}

/** Refuses a state that is for a different subject, older than the last one, or expired. */
export const checkSuccession = (last: DesiredState | undefined, next: DesiredState, nowMillis: number): void => {
  if (last !== undefined) {
    if (last.organizationId !== next.organizationId || last.subject !== next.subject) {
      throw new Failure(
        exit.conflict,
        `This machine has the desired state of ${last.subject} in ${last.organizationId}, but the server returned that of ${next.subject} in ${next.organizationId}. Use the profile of the first one, or run 'orgplane agents remove' first.`
      )
    }
    // `generatedAt` is the start of the period by the clock of the server that issued the state.
    const backMillis = Date.parse(last.generatedAt) - Date.parse(next.generatedAt)
    const isOlder = next.revision < last.revision || backMillis > renewalMillis + skewMillisMax
    if (isOlder) {
      throw failed(
        `it is older than the last one (revision ${next.revision} of ${next.generatedAt}, after revision ${last.revision} of ${last.generatedAt}). It may be a replay, or the server may have been restored from a backup. To accept it, run 'orgplane agents remove' first`
      )
    }
  }
  if (Date.parse(next.validUntil) <= nowMillis) {
    throw failed(`it expired at ${next.validUntil}. Check the clock of this machine`)
  }
}
