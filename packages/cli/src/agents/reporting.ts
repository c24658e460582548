/** When `agents sync` and `agents remove` report to the server. A report that fails does not fail the command. */
import { connect } from "../connection.ts"
import { describeFailure } from "../failure.ts"
import type { Globals } from "../global-flags.ts"
import type { Io } from "../io.ts"
import { resolveSettings, type Settings, warnAboutPlainHttp } from "../settings.ts"
import type { Context } from "./apply.ts"
import { readDevice, removeDevice } from "./device.ts"
import type { InstalledPlugin } from "./plan.ts"
import { readRecord, readState } from "./record.ts"
import { type FailedPlugin, failureKindOf, type ReportContent, reportOf, sendReport } from "./report.ts"

const timeoutMillis = 15_000
/** The removal itself works without a connection, so it does not wait long for one. */
const removalTimeoutMillis = 5_000

export interface Reporter {
  /** Both return a note for the user if the report could not be sent. */
  readonly applied: (revision: number, plugins: ReadonlyArray<InstalledPlugin>) => Promise<string | undefined>
  readonly failed: (error: unknown, failedPlugin: FailedPlugin | undefined) => Promise<string | undefined>
}

const posting =
  (io: Io, globals: Globals, settings: Settings, timeoutMillis: number) =>
  async (body: object): Promise<unknown> => {
    const request = { method: "POST", path: "/v1/delivery/reports", query: {}, body }
    try {
      return (await connect(io, settings, globals).send(request, { retries: 0, timeoutMillis })) ?? null
    } catch (error) {
      // Earlier server versions do not have the endpoint.
      const { status } = describeFailure(error)
      if (status === 404 || status === 405) return undefined
      throw error
    }
  }

/** Whether reports are turned on. */
export const reportsAreOn = (io: Io, noReport: boolean): boolean =>
  !noReport && (io.env["ORGPLANE_NO_REPORT"] ?? "") === ""

export const makeReporter = (io: Io, globals: Globals, settings: Settings, context: Context): Reporter => {
  const { files, format, paths } = context
  const { dataDirectory } = paths
  const post = posting(io, globals, settings, timeoutMillis)
  const send = async (content: ReportContent): Promise<string | undefined> => {
    try {
      await sendReport({ files, dataDirectory, now: io.now(), post }, content)
      return undefined
    } catch (error) {
      if (io.signal.aborted) throw error
      const reason = describeFailure(error).message.replace(/\.$/u, "")
      return `The report to the server failed: ${reason}. The next sync sends it again.`
    }
  }
  return {
    applied: (revision, installed) => send(reportOf({ agent: format, revision, installed })),
    failed: async (error, failed) => {
      // The record may be the file that is damaged.
      const record = await readRecord(files, dataDirectory).catch(() => undefined)
      const kind = failureKindOf(error, dataDirectory)
      const current = record?.current
      return send(
        reportOf({
          agent: format,
          revision: current?.revision,
          installed: current?.plugins ?? [],
          failed,
          failure: kind === "other" && failed !== undefined ? undefined : kind
        })
      )
    }
  }
}

/** Reports that no plugins are installed, if the machine has reported before and the user is signed in. */
const reportRemoval = async (io: Io, globals: Globals, context: Context, server: string): Promise<void> => {
  const { files, format, paths } = context
  const { dataDirectory } = paths
  if ((await readDevice(files, dataDirectory)) === undefined) return
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined || settings.baseUrl !== server) return
  await warnAboutPlainHttp(io, settings)
  const post = posting(io, globals, settings, removalTimeoutMillis)
  const content = { ...reportOf({ agent: format, revision: undefined, installed: [] }), removed: true as const }
  await sendReport({ files, dataDirectory, now: io.now(), post }, content)
}

/** Removes the files of a machine with `work`, reports the removal, and deletes the ID of the device. */
export const removeWithReport = async <A>(
  io: Io,
  globals: Globals,
  context: Context,
  isReporting: boolean,
  work: () => Promise<A>
): Promise<A> => {
  const { dryRun, files, paths } = context
  if (dryRun) return work()
  // Afterwards, the state is no longer stored.
  const state = await readState(files, paths.dataDirectory).catch(() => undefined)
  const result = await work()
  if (isReporting && state !== undefined) {
    // Works without a connection and without signing in.
    await reportRemoval(io, globals, context, state.server).catch(() => {})
  }
  await removeDevice(files, paths.dataDirectory)
  return result
}
