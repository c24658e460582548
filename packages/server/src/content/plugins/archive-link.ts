import type { ArchiveFormat } from "@orgplane/schema/plugin-archives"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { equalBytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { Settings } from "../../infra/config/settings.ts"

const purpose = "plugin-archive-link"
/** A link of a marketplace document is valid for at most one hour. Links of the same five minutes expire together. */
const lifetimeSeconds = 3600
const stepSeconds = 300

export interface Link {
  readonly organizationId: Id<"org">
  readonly pluginId: Id<"plg">
  readonly holder: Id<"om"> | Id<"key">
  readonly sha256: string
  /** Absent for a tar.gz. */
  readonly format?: ArchiveFormat
  /** A Unix timestamp in seconds. */
  readonly expires: string
}

const textOf = ({ expires, format, holder, organizationId, pluginId, sha256 }: Link) =>
  [organizationId, pluginId, holder, sha256, expires, ...(format === undefined ? [] : [format])].join("\n")

/** Creates and verifies the signed links from which agents download archives without a credential. */
export const makeLinks = Effect.gen(function* () {
  const keys = yield* KeyRing
  const { publicUrl } = yield* Settings

  const now = Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000))

  /** The expiry of a new link, rounded, so that a document with many links stays the same for some minutes. */
  const expiry = Effect.map(now, (now) => String(Math.floor(now / stepSeconds) * stepSeconds + lifetimeSeconds))

  const urlOf = (link: Link): string => {
    const { expires, format, holder, organizationId, pluginId, sha256 } = link
    const signature = keys.sign(purpose, textOf(link)).toString("base64url")
    const query = new URLSearchParams({
      organizationId,
      holder,
      sha256,
      expires,
      ...(format === undefined ? {} : { format }),
      signature
    })
    return `${publicUrl}/v1/plugin-archives/${pluginId}?${query.toString()}`
  }

  /** Whether the link's signature is valid and it has not expired. */
  const isGood = (link: Link, signature: string) =>
    Effect.map(now, (now) => {
      const signatureBytes = Buffer.from(signature, "base64url")
      // Base64 has unused bits, so only the canonical encoding is accepted as a signature.
      const isOurs = keys
        .signatures(purpose, textOf(link))
        .map((bytes) => equalBytes(bytes, signatureBytes))
        .includes(true)
      return isOurs && signatureBytes.toString("base64url") === signature && Number(link.expires) > now
    })

  return { expiry, urlOf, isGood } as const
})
