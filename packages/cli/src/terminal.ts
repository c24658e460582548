/** Prompts on the terminal. */
import { Interrupted, usage } from "./failure.ts"
import { canPrompt, type Io } from "./io.ts"
import { escapeControls } from "./output/escape.ts"

const enter = new Set(["\r", "\n"])
const interrupt = "\u0003"
const endOfFile = "\u0004"
const erase = new Set(["\u007f", "\b"])

/** Reads one line. In raw mode, keys are not preprocessed by the terminal. */
const readLine = (io: Io): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin } = io
    let typed = ""
    const end = (settle: () => void) => {
      stdin.off("data", onData)
      stdin.off("end", onEnd)
      stdin.pause()
      settle()
    }
    const onData = (chunk: Buffer | string) => {
      for (const character of chunk.toString()) {
        if (character === interrupt) return end(() => reject(new Interrupted("interrupted")))
        if (enter.has(character) || character === endOfFile) return end(() => resolve(typed))
        typed = erase.has(character) ? typed.slice(0, -1) : typed + character
      }
    }
    // The terminal was closed.
    const onEnd = () => end(() => resolve(typed))
    stdin.on("data", onData)
    stdin.once("end", onEnd)
    stdin.resume()
  })

export const prompt = async (io: Io, question: string): Promise<string> => {
  await io.err.write(`${question} `)
  return (await readLine(io)).trim()
}

export const promptHidden = async (io: Io, question: string): Promise<string> => {
  // Set before the prompt is printed: the terminal would echo text that is pasted immediately.
  io.stdin.setRawMode?.(true)
  try {
    await io.err.write(`${question} `)
    return (await readLine(io)).trim()
  } finally {
    io.stdin.setRawMode?.(false)
    await io.err.write("\n")
  }
}

/** Asks for confirmation. Without a terminal, `--yes` is required. */
export const confirm = async (io: Io, question: string, yes: boolean): Promise<boolean> => {
  if (yes) return true
  if (!canPrompt(io)) throw usage(`${escapeControls(question)} Cannot prompt without a terminal. Use --yes to confirm.`)
  return /^y(es)?$/i.test(await prompt(io, `${escapeControls(question)} [y/N]`))
}
