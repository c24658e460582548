/** Plugins as files that an agent installs. */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"

/** SHA-256 in hex. */
export const Sha256 = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { message: "expected a SHA-256 digest: 64 hexadecimal digits" })
)

export const ArchiveFormat = Schema.Literals(["zip", "tar.gz"]).annotate({ identifier: "ArchiveFormat" })
export type ArchiveFormat = typeof ArchiveFormat.Type

/** The bytes of a tar.gz, or of a zip when requested. */
export const Archive = HttpApiSchema.StreamUint8Array({
  contentType: ["application/gzip", "application/zip"]
})

/** What a signed link says; all of it is what was signed. */
export const LinkQuery = {
  format: Schema.optionalKey(ArchiveFormat.annotate({ description: "Default: tar.gz." })),
  organizationId: Ids.OrganizationId,
  holder: Schema.Union([Ids.OrgMembershipId, Ids.ApiKeyId]).annotate({
    description: "The member or API key that was given the link: it is good as long as they see the plugin."
  }),
  sha256: Sha256.annotate({ description: "The digest of the archive that the link was made for." }),
  expires: Schema.String.check(
    Schema.isPattern(/^[1-9][0-9]{9,10}$/u, { message: "expected seconds since 1970" })
  ).annotate({ description: "Seconds since 1970." }),
  signature: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9_-]{43}$/u, { message: "expected 43 characters of base64url" })
  )
}

/** The contents cannot lie beside one another on every file system; the message names the path. */
export class PluginArchiveRefused extends conflict(
  "plugin_archive_refused",
  "Two files of the plugin would be one."
)<PluginArchiveRefused>() {}

export class PluginArchiveTooLarge extends conflict(
  "plugin_archive_too_large",
  "The plugin holds more than an archive may: 10 000 files and 100 MB."
)<PluginArchiveTooLarge>() {}

/**
 * Of a plugin that is archived. Of a link also: wrong, expired, of contents that have changed, or of a plugin that its
 * receiver no longer sees, all one answer.
 */
export class PluginArchiveNotFound extends notFound("plugin_archive")<PluginArchiveNotFound>() {}

/** Said of both ways to an archive. */
export const described =
  "A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`."
