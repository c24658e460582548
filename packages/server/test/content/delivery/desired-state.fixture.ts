import { createHash, createPublicKey, verify } from "node:crypto"
import { call, type TestPlane } from "../../harness.ts"

const at = "http://localhost/v1/me/desired-state"

/** The response to a request for the desired state, with the exact body. */
export const requested = async (plane: TestPlane, token: string, headers: Record<string, string> = {}) => {
  const response = await plane.fetch(new Request(at, { headers: { authorization: `Bearer ${token}`, ...headers } }))
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, etag: response.headers.get("etag") ?? "" }
}

/** The state of a caller. */
export const stateOf = async (plane: TestPlane, token: string) => {
  const { etag, headers, status, text } = await requested(plane, token)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return { body: JSON.parse(text), etag, headers, text }
}

/** The status of a request with the `ETag` of an earlier response. */
export const polled = async (plane: TestPlane, token: string, etag: string) =>
  (await requested(plane, token, { "if-none-match": etag })).status

export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** Whether `GET /v1/keys` verifies the signature of a response. Uses only Node. */
export const isSigned = async (
  plane: TestPlane,
  { headers, text }: { readonly headers: Headers; readonly text: string },
  changed: { readonly revision?: number; readonly subject?: string } = {}
): Promise<boolean> => {
  const { keys } = (await call(plane)("GET", "/v1/keys")).body
  const keyId = headers.get("x-desired-state-key-id")
  const jwk = keys.find((key: { kid: string }) => key.kid === keyId)
  const state = JSON.parse(text)
  const subject = changed.subject ?? state.workerId ?? state.orgMembershipId
  const signed = `orgplane desired state\n${state.organizationId}\n${subject}\n${changed.revision ?? state.revision}\n${sha256(text)}\n`
  const signature = Buffer.from(headers.get("x-desired-state-signature") ?? "", "base64")
  return verify(null, Buffer.from(signed), createPublicKey({ key: jwk, format: "jwk" }), signature)
}
