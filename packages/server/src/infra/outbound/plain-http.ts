import { isWithin, parseRange, type Range } from "./address.ts"

/** The targets that plain http is allowed for. Whether a private address may be reached is checked separately. */
export interface PlainHttp {
  readonly everywhere: boolean
  readonly hosts: ReadonlySet<string>
  readonly ranges: ReadonlyArray<Range>
}

/** A valid DNS name; a name that ends in a number would be parsed as an IPv4 address. */
const isHostName = (text: string): boolean =>
  text.length <= 253 &&
  text.split(".").every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
  !/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(text)

/** Ranges and host names of a list; undefined when an entry is neither. `true` allows plain http to every address. */
export const parsePlainHttp = (entries: boolean | ReadonlyArray<string>): PlainHttp | undefined => {
  if (typeof entries === "boolean") return { everywhere: entries, hosts: new Set(), ranges: [] }
  const hosts = new Set<string>()
  const ranges: Array<Range> = []
  for (const entry of entries) {
    const range = parseRange(entry)
    const host = entry.trim().toLowerCase().replace(/\.$/, "")
    if (range !== undefined) ranges.push(range)
    else if (isHostName(host)) hosts.add(host)
    else return undefined
  }
  return { everywhere: false, hosts, ranges }
}

/** Whether a plain http URL with this host may be requested, once its addresses are known. */
export const mayBePlain = ({ everywhere, hosts, ranges }: PlainHttp, url: URL): boolean =>
  everywhere || hosts.has(url.hostname) || ranges.length > 0

/** Whether plain http may go to this address of the URL's host. */
export const isPlainAllowed = ({ everywhere, hosts, ranges }: PlainHttp, url: URL, address: string): boolean =>
  everywhere || hosts.has(url.hostname) || isWithin(address, ranges)
