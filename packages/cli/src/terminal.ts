/** Questions to the person at the terminal. */
import { Interrupted, usage } from "./failure.ts"
import { canAsk, type Io } from "./io.ts"
import { harmless } from "./output/harmless.ts"

const enter = new Set(["\r", "\n"])
const interrupt = "\u0003"
const endOfFile = "\u0004"
const erase = new Set(["\u007f", "\b"])

/** Reads one line; unseen, nothing of it reaches the screen. */
const readLine = (io: Io, hidden: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin } = io
    let typed = ""
    const end = (settle: () => void) => {
      stdin.off("data", onData)
      if (hidden) stdin.setRawMode?.(false)
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
    if (hidden) stdin.setRawMode?.(true)
    stdin.on("data", onData)
    stdin.resume()
  })

export const ask = async (io: Io, question: string): Promise<string> => {
  await io.err.write(`${question} `)
  return (await readLine(io, false)).trim()
}

export const askHidden = async (io: Io, question: string): Promise<string> => {
  await io.err.write(`${question} `)
  try {
    return (await readLine(io, true)).trim()
  } finally {
    await io.err.write("\n")
  }
}

/** Whether to go on; where nobody can be asked, only `--yes` goes on. */
export const confirmed = async (io: Io, question: string, yes: boolean): Promise<boolean> => {
  if (yes) return true
  if (!canAsk(io)) throw usage(`${harmless(question)} Nobody can be asked here; say --yes to go on.`)
  return /^y(es)?$/i.test(await ask(io, `${harmless(question)} [y/N]`))
}
