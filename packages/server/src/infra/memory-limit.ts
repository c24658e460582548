import type { Database } from "./options.ts"

const mebibyte = 1024 * 1024

/** The memory that a container needs, in MiB: more than a server with little data uses. */
export const memoryNeededMib = { pglite: 1024, postgres: 512 } as const satisfies Record<Database["kind"], number>

/**
 * A warning if the memory limit of the process, such as that of its container, is too low. `limitBytes` is
 * `process.constrainedMemory()`, which is 0 or greater than all memory if there is no limit.
 */
export const memoryWarning = (kind: Database["kind"], limitBytes: number): string | undefined => {
  const needed = memoryNeededMib[kind]
  if (limitBytes <= 0 || limitBytes >= needed * mebibyte) return undefined
  const engine = kind === "pglite" ? "the embedded database" : "PostgreSQL"
  return `The memory limit is ${Math.floor(limitBytes / mebibyte)} MiB. With ${engine}, orgplane needs at least ${needed} MiB. With less, the operating system can end the process. Raise the memory limit of the container or service.`
}
