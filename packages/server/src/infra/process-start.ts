import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"

interface ProcStat {
  readonly state: string
  readonly startedAt: string | undefined
}

/** What Linux reports about a process; undefined when it has ended, or when another user's processes are hidden. */
const procStat = async (pid: number): Promise<ProcStat | undefined> => {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  if (line === undefined) return undefined
  // The name, in parentheses, may contain spaces and parentheses itself; the state follows, and field 22 is the start.
  const [state = "", ...fields] = line.slice(line.lastIndexOf(")") + 2).split(" ")
  return { state, startedAt: fields[18] }
}

/** An opaque start time of a process, which differs when its PID is reused; undefined when it is not available. */
export const processStart = async (pid: number): Promise<string | undefined> => {
  if (process.platform === "linux") return (await procStat(pid))?.startedAt
  if (process.platform === "win32") return undefined
  const ps = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => undefined)
  return ps?.stdout.trim() || undefined
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // EPERM: the process exists but belongs to another user.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** Whether the process with this PID and start time still runs. A zombie process does not count as running. */
export const isRunning = async (pid: number, startedAt: string | undefined): Promise<boolean> => {
  if (!exists(pid)) return false
  if (process.platform === "linux") {
    const stat = await procStat(pid)
    // The process may have ended since the first check, for example if it was a zombie that has been reaped.
    if (stat === undefined) return exists(pid)
    return !/^[ZX]/.test(stat.state) && (startedAt === undefined || stat.startedAt === startedAt)
  }
  const started = await processStart(pid)
  return startedAt === undefined || started === undefined || started === startedAt
}
