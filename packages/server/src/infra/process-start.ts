import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"

/** When a process started, in words that tell it from a later one of the same number; undefined when not to be had. */
export const processStart = async (pid: number): Promise<string | undefined> => {
  if (process.platform === "linux") {
    const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
    // The name, in parentheses, may hold spaces and parentheses itself; field 22 is the twentieth after it.
    return line?.slice(line.lastIndexOf(")") + 2).split(" ")[19]
  }
  if (process.platform === "win32") return undefined
  const told = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => undefined)
  return told?.stdout.trim() || undefined
}

/**
 * Whether the process of this number is the one that started then, and still runs: one that has ended and waits for its
 * parent to look is none.
 */
export const isRunning = async (pid: number, startedAt: string | undefined): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // EPERM: it is there, but not ours.
    if (!(cause instanceof Error && "code" in cause && cause.code === "EPERM")) return false
  }
  if (process.platform === "linux") {
    const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
    if (/^[ZX]/.test(line.slice(line.lastIndexOf(")") + 2))) return false
  }
  const started = await processStart(pid)
  return startedAt === undefined || started === undefined || started === startedAt
}
