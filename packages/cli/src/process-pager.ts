/** The pager of a real process. */
import { wordsOf } from "./config-file.ts"
import type { Io } from "./io.ts"

/** Runs a pager with a text on its standard input, until the user leaves it. Returns false if it cannot start. */
export const openPager = (commandLine: string, text: string, env: Io["env"]): Promise<boolean> =>
  new Promise((resolve) => {
    const { spawn } = process.getBuiltinModule("node:child_process")
    const [program = "less", ...args] = wordsOf(commandLine)
    const pager = spawn(program, args, {
      stdio: ["pipe", "inherit", "inherit"],
      // As git does: quit if the text fits, pass colors on, and leave the text on the screen.
      env: { LESS: "FRX", LV: "-c", ...env }
    })
    pager.once("error", () => resolve(false))
    pager.once("close", () => resolve(true))
    // The user may leave the pager before it has read everything.
    pager.stdin.on("error", () => {})
    pager.stdin.end(text)
  })
