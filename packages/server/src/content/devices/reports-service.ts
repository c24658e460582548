import { type DeviceReport, devicesMax, type Failure, type ReportResult } from "@orgplane/schema/device-reports"
import type { Member, WorkerCaller } from "@orgplane/schema/shared/caller"
import { OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { compareInstallations, type StoredPlugin, type WantedPlugin } from "./compare.ts"
import * as repo from "./repo.ts"

const subjectOf = (caller: Member | WorkerCaller): repo.Subject => {
  const { organizationId } = caller
  if (caller.kind === "worker") {
    return { organizationId, membershipId: caller.createdByMembershipId, workerId: caller.workerId }
  }
  const { principal } = caller
  if (principal.kind === "key") throw new Error("An API key reported a device.")
  return { organizationId, membershipId: principal.membershipId, workerId: "" }
}

/** The plugins of a report as they are stored: ordered, so that equal reports have the same digest. */
const storedPlugins = ({ plugins }: DeviceReport): ReadonlyArray<StoredPlugin> =>
  plugins
    .map(({ digest, failure, installedSha256, pluginId, sha256: archive, state }) => ({
      pluginId,
      state,
      sha256: archive,
      digest,
      failure,
      installedSha256: state === "failed" ? (installedSha256 ?? null) : null
    }))
    .toSorted((a, b) => (a.pluginId < b.pluginId ? -1 : 1))

interface Outcome {
  readonly pluginId: Id<"plg">
  readonly digest: string
  readonly isFailed: boolean
}

/** The results of releases that the device did not have in its last report. */
const outcomesOf = (
  plugins: ReadonlyArray<StoredPlugin>,
  earlier: ReadonlyArray<StoredPlugin>
): ReadonlyArray<Outcome> => {
  const digests = new Map(earlier.map(({ digest, pluginId }) => [pluginId, digest]))
  return plugins.flatMap(({ digest, pluginId, state }) =>
    digest === null || digests.get(pluginId) === digest ? [] : [{ pluginId, digest, isFailed: state === "failed" }]
  )
}

/**
 * The releases that are not installed because the device could not apply its desired state at all. Whether a release or
 * something else caused the failure is unknown.
 */
const outcomesOfDevice = (
  wanted: ReadonlyArray<WantedPlugin>,
  plugins: ReadonlyArray<StoredPlugin>,
  failure: Failure
): ReadonlyArray<Outcome> =>
  compareInstallations(wanted, plugins, { isOffline: false, failure }).flatMap(
    ({ pluginId, reported, state, wanted: one }) => {
      const isOwnFailure = reported?.state === "failed" && reported.sha256 === one?.sha256
      return state !== "failed" || isOwnFailure || one === null || one.digest === null
        ? []
        : [{ pluginId, digest: one.digest, isFailed: true }]
    }
  )

/** Stores the reports of devices. */
export class DeviceReportsService extends Context.Service<DeviceReportsService>()("@orgplane/server/devices/Reports", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const restricted = yield* organizationTransaction

    const store = Effect.fnUntraced(function* (
      subject: repo.Subject,
      input: DeviceReport,
      plugins: ReadonlyArray<StoredPlugin>
    ) {
      const { membershipId, organizationId } = subject
      const json = canonicalJson(plugins)
      const digest = sha256(json)
      if (!(yield* repo.lockSubject(sql, subject))) return yield* new OrganizationNotFound()
      const stored = yield* repo.findStored(sql, subject, input.deviceId)
      if (stored.sequence !== null && stored.sequence >= input.sequence) {
        return { accepted: false, lastSequence: stored.sequence } satisfies ReportResult
      }
      if (input.removed === true) {
        yield* repo.remove(sql, organizationId, membershipId, input.deviceId)
        yield* repo.keepSequence(sql, organizationId, membershipId, input.deviceId, input.sequence)
        return { accepted: true, lastSequence: input.sequence } satisfies ReportResult
      }
      if (stored.report_digest === null) {
        if (stored.sequence !== null) yield* repo.deleteSequence(sql, subject, input.deviceId)
        if (stored.device_count >= devicesMax) {
          const oldest = yield* repo.findOldest(sql, subject)
          if (oldest !== undefined) yield* repo.remove(sql, organizationId, membershipId, oldest)
        }
      }
      const earlier =
        stored.report_digest === null ? undefined : yield* repo.readReport(sql, organizationId, stored.report_digest)
      const isChanged = stored.report_digest !== digest
      if (isChanged) yield* repo.keepReport(sql, organizationId, digest, json)
      yield* repo.put(sql, subject, input, digest)
      if (isChanged && stored.report_digest !== null) {
        yield* repo.deleteUnusedReport(sql, organizationId, stored.report_digest)
      }
      // The first report of a device has no results: its plugins may have been installed long before.
      if (earlier === undefined) return { accepted: true, lastSequence: input.sequence } satisfies ReportResult
      const ofPlugins = outcomesOf(plugins, earlier)
      const failure = input.failure ?? null
      const ofDevice = failure === null ? [] : outcomesOfDevice(yield* repo.readWanted(sql, subject), plugins, failure)
      const own = new Set(ofPlugins.map((outcome) => `${outcome.pluginId} ${outcome.digest}`))
      const outcomes = [
        ...ofPlugins,
        ...ofDevice.filter((outcome) => !own.has(`${outcome.pluginId} ${outcome.digest}`))
      ]
      if (outcomes.length > 0) yield* repo.recordOutcomes(sql, subject, outcomes)
      return { accepted: true, lastSequence: input.sequence } satisfies ReportResult
    })

    /** Replaces the last report of a device, unless its sequence is the same or higher. */
    const report = (caller: Member | WorkerCaller, input: DeviceReport) => {
      const subject = subjectOf(caller)
      return restricted(subject.organizationId, store(subject, input, storedPlugins(input)))
    }

    return { report } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
