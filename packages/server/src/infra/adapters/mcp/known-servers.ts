import type { McpServerInfo } from "../../ports/mcp-servers.ts"
import type { Course } from "./exchange.ts"

const knownMax = 1000
/** As long as a list of tools is valid. */
const knownMillis = 5 * 60_000

/** The organization, owner, URL, credential and version of the settings; undefined if nothing may be reused. */
export const keyOf = ({ reuse, target }: Course): string | undefined =>
  reuse === undefined ? undefined : JSON.stringify([target.organizationId, reuse.owner, reuse.credential])

/** Servers that were found to have no sessions, so that a call need not discover that again. */
export class KnownServers {
  readonly #servers = new Map<string, { readonly info: McpServerInfo; readonly until: number }>()

  find(key: string, now: number): McpServerInfo | undefined {
    const existing = this.#servers.get(key)
    if (existing === undefined || now < existing.until) return existing?.info
    this.#servers.delete(key)
    return undefined
  }

  add(key: string, info: McpServerInfo, now: number): void {
    this.#servers.delete(key)
    this.#servers.set(key, { info, until: now + knownMillis })
    const oldest = this.#servers.keys().next()
    if (this.#servers.size > knownMax && oldest.done !== true) this.#servers.delete(oldest.value)
  }

  forget(key: string | undefined): void {
    if (key !== undefined) this.#servers.delete(key)
  }
}
