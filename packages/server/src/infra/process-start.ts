import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"

/** An opaque start time of a process, which differs when its PID is reused; undefined when it is not available. */
export const processStart = async (pid: number): Promise<string | undefined> => {
  if (process.platform === "linux") {
    const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
    // The name, in parentheses, may hold spaces and parentheses itself; field 22 is the twentieth after it.
    return line?.slice(line.lastIndexOf(")") + 2).split(" ")[19]
  }
  if (process.platform === "win32") return undefined
  const ps = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => undefined)
  return ps?.stdout.trim() || undefined
}

/** Whether the process with this PID and start time still runs. A zombie process does not count as running. */
export const isRunning = async (pid: number, startedAt: string | undefined): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // EPERM: the process exists but belongs to another user.
    if (!(cause instanceof Error && "code" in cause && cause.code === "EPERM")) return false
  }
  if (process.platform === "linux") {
    const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
    if (/^[ZX]/.test(line.slice(line.lastIndexOf(")") + 2))) return false
  }
  const started = await processStart(pid)
  return startedAt === undefined || started === undefined || started === startedAt
}
