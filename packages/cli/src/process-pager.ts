/** The pager of a real process. */
import { wordsOf } from "./config-file.ts"
import type { Io } from "./io.ts"

/**
 * Runs a pager with text on its standard input, until the user exits it. Returns false if it cannot start, or if it
 * fails and the user did not interrupt it.
 */
export const openPager = (commandLine: string, text: string, env: Io["env"]): Promise<boolean> =>
  new Promise((resolve) => {
    const { spawn } = process.getBuiltinModule("node:child_process")
    const [program, ...args] = wordsOf(commandLine)
    if (program === undefined || program === "") return resolve(false)
    const pager = spawn(program, args, {
      stdio: ["pipe", "inherit", "inherit"],
      // As git does: quit if the text fits, pass colors on, and leave the text on the screen.
      env: { LESS: "FRX", LV: "-c", ...env }
    })
    // `less -K` fails when the user exits it with Ctrl+C.
    let isLeft = false
    const leave = () => (isLeft = true)
    process.on("SIGINT", leave)
    pager.once("error", () => resolve(false))
    pager.once("close", (code, signal) => {
      // If both signals are pending, the pager's exit is handled before the Ctrl+C that caused it. Wait for the Ctrl+C.
      setImmediate(() => {
        process.off("SIGINT", leave)
        resolve(code === 0 || signal !== null || isLeft)
      })
    })
    // The user may leave the pager before it has read everything.
    pager.stdin.on("error", () => {})
    pager.stdin.end(text)
  })
