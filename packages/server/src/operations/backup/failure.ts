import * as Data from "effect/Data"

/** A backup or a restore cannot be completed. The message states the cause and the fix. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

export const failed = (message: string) => new BackupFailed({ message })

export const damaged = (file: string, problem: string) =>
  failed(`${file} is damaged or incomplete: ${problem}. Nothing was restored. Use another backup.`)
