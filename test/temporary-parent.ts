import { access, constants, readFile, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"

const memoryFolder = "/dev/shm"
const bytesMin = 4 * 1024 ** 3

/**
 * A parent for temporary files that need not be durable: a file system in memory that has space and can contain
 * programs, otherwise the system's temporary folder. Tests create thousands of files, which is slow on a disk.
 */
export const temporaryParent = async (): Promise<string> => {
  try {
    await access(memoryFolder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(memoryFolder)
    const mounts = await readFile("/proc/mounts", "utf8")
    const mount = mounts.split("\n").find((line) => line.split(" ")[1] === memoryFolder)
    const isUsable = mount !== undefined && !/\bnoexec\b/.test(mount) && bavail * bsize >= bytesMin
    return isUsable ? memoryFolder : tmpdir()
  } catch {
    return tmpdir()
  }
}
