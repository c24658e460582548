/** Plugin archives, which agents download and install. */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"

/** SHA-256 in hex. */
export const Sha256 = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { message: "must be a SHA-256 digest: 64 hexadecimal digits" })
)

export const ArchiveFormat = Schema.Literals(["zip", "tar.gz"]).annotate({ identifier: "ArchiveFormat" })
export type ArchiveFormat = typeof ArchiveFormat.Type

/** The bytes of a tar.gz, or of a zip when requested. */
export const Archive = HttpApiSchema.StreamUint8Array({
  contentType: ["application/gzip", "application/zip"]
})

/** The query parameters of a signed link. The signature covers all other parameters and the plugin's id. */
export const LinkQuery = {
  format: Schema.optionalKey(ArchiveFormat.annotate({ description: "The archive format. Default: `tar.gz`." })),
  organizationId: Ids.OrganizationId,
  holder: Schema.Union([Ids.OrgMembershipId, Ids.ApiKeyId]).annotate({
    description: "The member or API key that received the link. The link is valid only while they can see the plugin."
  }),
  sha256: Sha256.annotate({ description: "The digest of the archive for which the link was created." }),
  expires: Schema.String.check(
    Schema.isPattern(/^[1-9][0-9]{9,10}$/u, { message: "must be a Unix timestamp in seconds" })
  ).annotate({ description: "When the link expires, as a Unix timestamp in seconds." }),
  signature: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9_-]{43}$/u, { message: "must be 43 characters of base64url" })
  )
}

/** A path is not allowed in an archive, or two paths are the same on some file systems. The message names the path. */
export class PluginArchiveRefused extends conflict(
  "plugin_archive_refused",
  "Two files of the plugin have paths that some file systems treat as the same. Rename one of them."
)<PluginArchiveRefused>() {}

export class PluginArchiveTooLarge extends conflict(
  "plugin_archive_too_large",
  "The plugin exceeds the archive limits of 10,000 files and 100 MB. Remove files, then try again."
)<PluginArchiveTooLarge>() {}

/**
 * The plugin is archived, or none of its releases has been approved. For a signed link, also: the link is invalid or
 * expired, the contents have changed, or its recipient can no longer see the plugin. All cases return the same response.
 */
export class PluginArchiveNotFound extends notFound("plugin_archive")<PluginArchiveNotFound>() {}

/** The description of both download operations. */
export const archiveDescription =
  "A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`."
