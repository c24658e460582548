import type { Caller } from "@orgplane/schema/shared/caller"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Stream from "effect/Stream"
import { privateDocument } from "./handlers.ts"

/** A file to download, with its digest and the signature of the digest. */
export interface SignedFile {
  readonly name: string
  readonly mediaType: string
  /** In hexadecimal. */
  readonly sha256: string
  readonly signature: Buffer
  readonly keyId: string
  readonly bytes: Stream.Stream<Uint8Array>
}

/**
 * Sends a file. A 304 response has the same digest and signature, so they are set as response headers for all statuses.
 */
export const sendSignedFile = (caller: Caller, file: SignedFile): HttpServerResponse.HttpServerResponse => {
  const { keyId, mediaType, name, sha256, signature } = file
  const bytes = privateDocument(caller, { item: file.bytes, version: sha256 })
  Object.assign(caller.request.responseState.headers, {
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
    "x-archive-signature": signature.toString("base64"),
    "x-archive-key-id": keyId
  })
  return HttpServerResponse.stream(bytes, {
    contentType: mediaType,
    headers: { "content-disposition": `attachment; filename="${name}"` }
  })
}
