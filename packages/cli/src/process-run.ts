/** Everything but the prepared output: runs the command line of this process. */
import type { ExitCode } from "./exit-code.ts"
import { commands } from "./generated/commands.ts"
import { processIo } from "./process-io.ts"
import { run } from "./program.ts"

export const runProcess = (): Promise<ExitCode> => run(processIo(), commands)
