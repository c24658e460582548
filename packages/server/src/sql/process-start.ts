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
