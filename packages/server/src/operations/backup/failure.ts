import * as Data from "effect/Data"
import { codeOf, rootOf } from "../../infra/sql/failure-code.ts"

/** A backup or a restore cannot be completed. The message states the cause and the fix. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

export const failed = (message: string) => new BackupFailed({ message })

export const damaged = (file: string, problem: string) =>
  failed(`${file} is damaged or incomplete: ${problem}. Nothing was restored. Use another backup.`)

const fullCodes: ReadonlyArray<string> = ["ENOSPC", "EDQUOT"]

/** The error code if a file could not be written because its file system or a quota is full. */
export const diskFullCode = (cause: unknown): string | undefined => {
  const root = rootOf(cause)
  const code = codeOf(root)
  // The embedded database does not report the codes of the operating system, but PostgreSQL's code or only a message.
  const isFull = code === "53100" || (root instanceof Error && /no space left on device|ENOSPC/i.test(root.message))
  return code !== undefined && fullCodes.includes(code) ? code : isFull ? "ENOSPC" : undefined
}
