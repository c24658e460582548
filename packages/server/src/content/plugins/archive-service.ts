import { type ArchiveFormat, PluginArchiveNotFound } from "@orgplane/schema/plugin-archives"
import type { Plugin } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import { Unavailable } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as Stream from "effect/Stream"
import { isAdminRole, permissionsFrom, permissionsOf } from "../../identity/auth/permissions.ts"
import { startSha256 } from "../../infra/crypto/digest.ts"
import { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import type { Holder } from "../../identity/grants/index.ts"
import { retryAfter } from "../../infra/http/retry-after.ts"
import type { SignedFile } from "../../infra/http/signed-file.ts"
import { ReleaseChecks } from "../approvals/checks.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { archiveOf } from "./archive-bytes.ts"
import {
  type ArchiveChange,
  type ArchiveFiles,
  archiveFiles,
  contentsInOrder,
  contentsOf,
  listingAfter,
  readerAfter,
  storedReader
} from "./archive-contents.ts"
import { describedOf } from "./archive-layout.ts"
import { type Link, makeLinks } from "./archive-link.ts"
import * as repo from "./archive-repo.ts"
import { zipOf } from "./archive-zip.ts"

/**
 * Maximum number of archives whose digests a process computes at once. Organizations share them fairly, and further
 * requests wait.
 */
const madeAtOnce = 2
/**
 * Maximum number of one organization's archives that a process sends at once, regardless of how slowly clients receive
 * them.
 */
const sentAtOnceMax = 32
/**
 * How long a listing may create new archives; finished archives are stored. Claude Code waits ten seconds for a
 * marketplace.
 */
const offeringMillisMax = 7_000
const offeredAtOnce = 4
/** The archive of a plugin, and what a document about it needs. */
export interface Offered<Row extends repo.OfferedRow> {
  readonly row: Row
  readonly sha256: string
}

/** How long a listing may check changed plugins. After that, it lists their served releases. */
const checkingMillisMax = 2_000
/** How often the served content of a plugin is read again if an approval or another mode replaced it meanwhile. */
const servedTriesMax = 5
/** Maximum plugins in the marketplace document. */
const offeredMax = 2000

const formats = {
  "tar.gz": { mediaType: "application/gzip", pack: archiveOf },
  zip: { mediaType: "application/zip", pack: zipOf }
} as const satisfies Record<ArchiveFormat, unknown>

/** The text that is signed for an archive: its plugin and digest. */
export const signedText = (pluginId: string, sha256: string): string =>
  `orgplane plugin archive\n${pluginId}\n${sha256}\n`

/** The layout of a plugin's archive, and its content. */
interface Plan extends ArchiveFiles, repo.ArchiveKey {}

interface DigestedPlan extends Plan {
  readonly sha256: string
}

const encoder = new TextEncoder()

/** Plugin archives: their content, digests and signatures, and the access to them. */
export class PluginArchives extends Context.Service<PluginArchives>()("@orgplane/server/plugins/Archives", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* organizationTransaction
    const signingKeys = yield* SigningKeys
    const links = yield* makeLinks
    const checks = yield* ReleaseChecks
    const digestPermits = yield* PartitionedSemaphore.make<string>({ permits: madeAtOnce })

    /**
     * The content of a plugin that the receiver's agents receive: that of the release that an assignment pins, or else that
     * of the served release if the plugin has a delivery mode. Viewers read it without a receiver. Undefined if the plugin
     * does not exist, nothing is served, or an assignment blocks it for the receiver or pins a release that is not stored.
     */
    const deliveredListing = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      pluginId: Id<"plg">,
      receiver?: Holder
    ) {
      let gate = yield* repo.gate(sql, organizationId, pluginId, receiver)
      if (gate?.has_checks === true) {
        yield* checks.tryCheck(organizationId, pluginId)
        gate = yield* repo.gate(sql, organizationId, pluginId, receiver)
      }
      // If the mode or the release changes between two statements, the second one returns nothing.
      for (let tries = 0; gate !== undefined && tries < servedTriesMax; tries += 1) {
        if (!gate.is_delivered || (gate.is_gated && gate.release_id === null)) return undefined
        const listing = yield* gate.release_id === null
          ? repo.ungatedListing(sql, organizationId, pluginId)
          : repo.releaseListing(sql, organizationId, gate.release_id)
        if (listing !== undefined) return listing
        gate = yield* repo.gate(sql, organizationId, pluginId, receiver)
      }
      return undefined
    })

    const planOfListing = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      pluginId: Id<"plg">,
      format: ArchiveFormat,
      listing: repo.Listing
    ) {
      const { fingerprint, release_id: releaseId } = listing
      const key: repo.ArchiveKey = { organizationId, pluginId, releaseId, format, fingerprint }
      const keepNone = () => fenced(organizationId, repo.keep(sql, key, null))
      return yield* Effect.map(archiveFiles(listing, storedReader(sql, organizationId)), (files): Plan => ({
        ...files,
        ...key
      })).pipe(
        Effect.tapErrorTag("PluginArchiveTooLarge", keepNone),
        Effect.tapErrorTag("PluginArchiveRefused", keepNone)
      )
    })

    /** The archive that the receiver's agents receive. Undefined if there is no content to deliver. */
    const planOf = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      pluginId: Id<"plg">,
      format: ArchiveFormat,
      receiver?: Holder
    ) {
      const listing = yield* deliveredListing(organizationId, pluginId, receiver)
      return listing && (yield* planOfListing(organizationId, pluginId, format, listing))
    })

    /** The archive of the content in a row of a listing. `changed` if another release has replaced it since. */
    const planOfRow = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      { id, release_id: releaseId }: repo.OfferedRow,
      format: ArchiveFormat
    ) {
      const listing = releaseId === null ? undefined : yield* repo.releaseListing(sql, organizationId, releaseId)
      if (listing !== undefined) return yield* planOfListing(organizationId, id, format, listing)
      const plan = yield* planOf(organizationId, id, format)
      return plan !== undefined && plan.releaseId !== releaseId ? "changed" : plan
    })

    /** The bytes of an archive. */
    const bytesOf = (plan: Plan): Stream.Stream<Uint8Array> =>
      Stream.orDie(formats[plan.format].pack(contentsOf(plan, storedReader(sql, plan.organizationId))))

    /** Creates the archive once without storing it, to compute its digest. */
    const digestOf = Effect.fnUntraced(function* (plan: Plan) {
      const digest = startSha256()
      let bytes = 0
      yield* Stream.runForEach(bytesOf(plan), (part) =>
        Effect.sync(() => {
          digest.update(part)
          bytes += part.length
        })
      ).pipe(PartitionedSemaphore.withPermits(digestPermits, plan.organizationId, 1))
      return { sha256: digest.digest(), bytes }
    })

    /** A plan with its digest, which is computed and stored if necessary. */
    const digested = Effect.fnUntraced(function* (plan: Plan) {
      const storedDigest = yield* repo.storedDigest(sql, plan)
      if (storedDigest !== undefined && storedDigest.sha256 !== null)
        return { ...plan, sha256: storedDigest.sha256 } satisfies DigestedPlan
      const digest = yield* digestOf(plan)
      yield* fenced(plan.organizationId, repo.keep(sql, plan, digest))
      return { ...plan, sha256: digest.sha256 } satisfies DigestedPlan
    })

    const activeDownloads = new Map<Id<"org">, number>()
    const count = (organizationId: Id<"org">, more: number) =>
      Effect.sync(() => {
        const now = (activeDownloads.get(organizationId) ?? 0) + more
        if (now === 0) activeDownloads.delete(organizationId)
        else activeDownloads.set(organizationId, now)
      })

    /** Sends an archive. If its bytes do not match the digest, the response is aborted, so it never looks complete. */
    const streamOf = (archive: DigestedPlan): Stream.Stream<Uint8Array> =>
      Stream.unwrap(
        Effect.gen(function* () {
          // Counted here, because responses to HEAD and 304 responses send nothing.
          yield* Effect.acquireRelease(count(archive.organizationId, 1), () => count(archive.organizationId, -1))
          const digest = startSha256()
          return bytesOf(archive).pipe(
            Stream.tap((part) => Effect.sync(() => digest.update(part))),
            Stream.concat(
              Stream.suspend(() =>
                digest.digest() === archive.sha256
                  ? Stream.empty
                  : Stream.die(new Error(`The archive of ${archive.pluginId} does not match its announced digest.`))
              )
            )
          )
        })
      )

    /** The archive with its signature. The bytes are read when the response is sent. */
    const signedFile = Effect.fnUntraced(function* (archive: DigestedPlan) {
      const { format, name, organizationId, pluginId, sha256 } = archive
      if ((activeDownloads.get(organizationId) ?? 0) >= sentAtOnceMax) {
        return yield* retryAfter(
          new Unavailable({ message: "Your organization is downloading too many archives at once." }),
          5
        )
      }
      const { keyId, signature } = yield* signingKeys.signBytes(encoder.encode(signedText(pluginId, sha256)))
      const { mediaType } = formats[format]
      return {
        name: `${name}.${format}`,
        mediaType,
        sha256,
        signature,
        keyId,
        bytes: streamOf(archive)
      } satisfies SignedFile
    })

    /** The archive of a plugin that the caller can see. The objects of an archived plugin are hidden. */
    const download = Effect.fnUntraced(function* (
      caller: Member,
      { archivedAt, id }: Plugin,
      format: ArchiveFormat = "tar.gz"
    ) {
      if (archivedAt !== null) return yield* new PluginArchiveNotFound()
      const plan = yield* planOf(caller.organizationId, id, format, caller)
      return plan === undefined ? yield* new PluginArchiveNotFound() : yield* signedFile(yield* digested(plan))
    })

    /** The files of the archive of a plugin that the caller can see. Files for which `isFirst` is true come first. */
    const contents = Effect.fnUntraced(function* (
      caller: Member,
      { archivedAt, id }: Plugin,
      isFirst: (path: string) => boolean
    ) {
      if (archivedAt !== null) return yield* new PluginArchiveNotFound()
      const plan = yield* planOf(caller.organizationId, id, "tar.gz")
      if (plan === undefined) return yield* new PluginArchiveNotFound()
      return contentsInOrder(plan, storedReader(sql, caller.organizationId), isFirst)
    })

    /**
     * The files of a plugin's archive as it is served, and those that it would have after a change. Undefined if there is none, or
     * none can be created. Access is not checked.
     */
    const around = Effect.fnUntraced(function* <E>(
      organizationId: Id<"org">,
      pluginId: Id<"plg">,
      change: ArchiveChange<E>,
      isFirst: (path: string) => boolean
    ) {
      const stored = storedReader(sql, organizationId)
      const listing = yield* repo.listing(sql, organizationId, pluginId)
      const served = yield* deliveredListing(organizationId, pluginId)
      const none = () => Effect.succeed(undefined)
      const before =
        served === undefined
          ? undefined
          : yield* archiveFiles(served, stored).pipe(
              Effect.catchTags({ PluginArchiveTooLarge: none, PluginArchiveRefused: none })
            )
      const next = listingAfter(listing, change)
      const reader = readerAfter(stored, change)
      const after = next === undefined ? undefined : yield* archiveFiles(next, reader)
      return {
        before: before && contentsInOrder(before, stored, isFirst),
        after: after && contentsInOrder(after, reader, isFirst)
      }
    })

    /** The name of a plugin; undefined if the holder cannot see it. */
    const nameSeen = Effect.fnUntraced(function* (holder: Holder, pluginId: Id<"plg">) {
      if (!(yield* repo.isSeen(sql, holder, pluginId))) return undefined
      return (yield* repo.listing(sql, holder.organizationId, pluginId))?.name
    })

    /** The holder of a link; undefined if it was removed, or has none of the permissions now. */
    const holderOf = Effect.fnUntraced(function* (
      { holder, organizationId }: Pick<Link, "holder" | "organizationId">,
      permissions: ReadonlyArray<Permission> = ["marketplaces:read"]
    ) {
      let held: { readonly holder: Holder; readonly permissions: ReadonlySet<Permission> } | undefined
      if (holder.startsWith("key_")) {
        const row = yield* repo.key(sql, organizationId, holder)
        const permissions = permissionsFrom(row?.permissions)
        const principal = { kind: "key", keyId: holder as Id<"key"> } as const
        held = row && { holder: { organizationId, isAdmin: false, principal, permissions }, permissions }
      } else {
        const row = yield* repo.member(sql, organizationId, holder)
        const principal = { kind: "session", membershipId: holder as Id<"om"> } as const
        held = row && {
          holder: { organizationId, isAdmin: isAdminRole(row.role), principal },
          permissions: permissionsOf(row.role, row.permissions)
        }
      }
      return permissions.some((permission) => held?.permissions.has(permission) === true) ? held?.holder : undefined
    })

    /** Like `archive`, for callers that receive no details if there is none. */
    const digestedNow = Effect.fnUntraced(function* (holder: Holder, pluginId: Id<"plg">, format: ArchiveFormat) {
      const notFound = () => Effect.fail(new PluginArchiveNotFound())
      const plan = yield* planOf(holder.organizationId, pluginId, format, holder).pipe(
        Effect.catchTags({ PluginArchiveTooLarge: notFound, PluginArchiveRefused: notFound })
      )
      return plan === undefined ? yield* new PluginArchiveNotFound() : yield* digested(plan)
    })

    /**
     * An archive by its link. The link must be valid and not expired, its holder still able to see the plugin, and the
     * archive still the one that the holder's agents receive.
     */
    const downloadLinked = Effect.fnUntraced(function* (link: Link, signature: string) {
      if (!(yield* links.isGood(link, signature))) return yield* new PluginArchiveNotFound()
      // Either permission allows its holder to download the archive with a credential, too.
      const holder = yield* holderOf(link, ["marketplaces:read", "plugins:read"])
      if (holder === undefined || !(yield* repo.isSeen(sql, holder, link.pluginId))) {
        return yield* new PluginArchiveNotFound()
      }
      const archive = yield* digestedNow(holder, link.pluginId, link.format ?? "tar.gz")
      if (archive.sha256 !== link.sha256) return yield* new PluginArchiveNotFound()
      return yield* signedFile(archive)
    })

    /** The current archive of a plugin in a marketplace that is visible to the holder. */
    const downloadOffered = Effect.fnUntraced(function* (
      holder: Holder,
      marketplaceId: Id<"mkt">,
      pluginId: Id<"plg">
    ) {
      if (!(yield* repo.isOffered(sql, holder, marketplaceId, pluginId))) return yield* new PluginArchiveNotFound()
      return yield* signedFile(yield* digestedNow(holder, pluginId, "zip"))
    })

    /** The digest of the archive in a listing; null if none can be created. Undefined if the rows must be read again. */
    const digestNow = (organizationId: Id<"org">, row: repo.OfferedRow, format: ArchiveFormat) =>
      planOfRow(organizationId, row, format).pipe(
        Effect.flatMap((plan) =>
          plan === "changed"
            ? Effect.succeed(undefined)
            : plan === undefined
              ? Effect.succeed(null)
              : Effect.map(digested(plan), ({ sha256 }) => sha256)
        ),
        Effect.catchTags({
          PluginArchiveTooLarge: () => Effect.succeed(null),
          PluginArchiveRefused: () => Effect.succeed(null)
        })
      )

    /** Plugins with their digests; undefined if not all could be computed in time. */
    const withDigests = Effect.fnUntraced(function* <Row extends repo.OfferedRow>(
      organizationId: Id<"org">,
      format: ArchiveFormat,
      rows: ReadonlyArray<Row>
    ) {
      const end = (yield* Clock.currentTimeMillis) + offeringMillisMax
      const digests = yield* Effect.forEach(
        rows,
        Effect.fnUntraced(function* (row) {
          if (row.is_known) return row.sha256
          return (yield* Clock.currentTimeMillis) < end ? yield* digestNow(organizationId, row, format) : undefined
        }),
        { concurrency: offeredAtOnce }
      )
      return digests.includes(undefined)
        ? undefined
        : rows.flatMap((row, index): ReadonlyArray<Offered<Row>> => {
            const sha256 = digests[index]
            return sha256 === undefined || sha256 === null ? [] : [{ row, sha256 }]
          })
    })

    /** The served plugins of a listing. Changed ones are checked first, for a limited time. */
    const checkedRows = Effect.fnUntraced(function* <Row extends repo.OfferedRow, E, R>(
      organizationId: Id<"org">,
      listed: Effect.Effect<ReadonlyArray<Row>, E, R>
    ) {
      const rows = yield* listed
      const changed = rows.filter((row) => row.has_checks)
      if (changed.length === 0) return rows
      yield* Effect.forEach(changed, (row) => checks.tryCheckListed(organizationId, row.id), {
        concurrency: offeredAtOnce,
        discard: true
      }).pipe(Effect.timeoutOption(checkingMillisMax))
      const checked = yield* listed
      return checked.filter((row) => row.is_served)
    })

    /** The plugins of a listing, each with the digest of the archive that is delivered. Access is not checked. */
    const offerRows = Effect.fnUntraced(function* <Row extends repo.OfferedRow, E, R>(
      organizationId: Id<"org">,
      format: ArchiveFormat,
      listed: Effect.Effect<ReadonlyArray<Row>, E, R>
    ) {
      const rows = yield* checkedRows(organizationId, listed)
      const archive = yield* withDigests(organizationId, format, rows)
      if (archive === undefined) {
        return yield* retryAfter(
          new Unavailable({ message: "The archives are still being created. Repeat the request to continue." }),
          1
        )
      }
      return archive
    })

    /** The plugins of a marketplace that are visible to the holder, each with the digest of its archive. */
    const offerTo = (holder: Holder, marketplaceId: Id<"mkt">, format: ArchiveFormat) =>
      Effect.map(
        offerRows(holder.organizationId, format, repo.offered(sql, holder, marketplaceId, format, offeredMax)),
        (archives) => archives.map(({ row, sha256 }) => ({ pluginId: row.id, described: describedOf(row), sha256 }))
      )

    /** Like `offerTo` for the caller, each with a signed link. */
    const offer = Effect.fnUntraced(function* (caller: Member, marketplaceId: Id<"mkt">, format: ArchiveFormat) {
      const { organizationId, principal } = caller
      const offered = yield* offerTo(caller, marketplaceId, format)
      const holder = principal.kind === "key" ? principal.keyId : principal.membershipId
      const expires = yield* links.expiry
      return offered.map((one) => {
        const { pluginId, sha256 } = one
        return { ...one, url: links.urlOf({ organizationId, pluginId, holder, sha256, format, expires }) }
      })
    })

    return {
      around,
      contents,
      download,
      downloadLinked,
      downloadOffered,
      holderOf,
      linkTo: links.urlOf,
      nameSeen,
      offer,
      offerRows,
      offerTo
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
