import type { Destination } from "../../ports/outbound.ts"

/** One host whose content may be read, and where it is really asked. */
export interface RemoteSourceRule {
  /** In lower case, with its port where that is not the usual one. */
  readonly host: string
  /** The address that stands in for `https://host`, without a slash at its end; null without a mirror. */
  readonly mirror: string | null
}

/** The name that stands for the npm registry of sources that name none; it is always read from a stated address. */
export const npmHost = "npm"

/** Parses `host`, `host=mirror-address` or `npm=registry-address`; undefined for anything else. */
export const parseRemoteSource = (text: string): RemoteSourceRule | undefined => {
  const at = text.indexOf("=")
  const host = (at === -1 ? text : text.slice(0, at)).trim().toLowerCase()
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/.test(host)) return undefined
  // As an address of that host spells it: without the port that https has anyway.
  if (URL.parse(`https://${host}`)?.host !== host) return undefined
  if (at === -1) return host === npmHost ? undefined : { host, mirror: null }
  const stated = text.slice(at + 1).trim()
  const url = URL.parse(stated)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined
  if (/[?#]/.test(stated)) return undefined
  return { host, mirror: url.href.replace(/\/+$/, "") }
}

/** Where an address is asked. */
export interface Asked {
  readonly url: string
  readonly destination: Destination
}

export const makeRules = (rules: ReadonlyArray<RemoteSourceRule>) => {
  const byHost = new Map(rules.map((rule) => [rule.host, rule]))
  const mirrorOrigins = new Set(rules.flatMap(({ mirror }) => (mirror === null ? [] : [new URL(mirror).origin])))

  /** What a stated address stands for; undefined where its host is not allowed. */
  const resolve = (stated: string): Asked | undefined => {
    const url = URL.parse(stated)
    const rule = url === null ? undefined : byHost.get(url.host)
    if (url === null || rule === undefined || url.username !== "" || url.password !== "") return undefined
    if (rule.mirror === null) return { url: stated, destination: "supplied" }
    return { url: `${rule.mirror}${url.pathname}${url.search}`, destination: "configured" }
  }

  return {
    allows: (host: string): boolean => byHost.has(host),
    resolve,
    /** An address that an answer gave: one of an allowed host, or of the very place that was asked. */
    resolveGiven: (given: string, asked: Asked): Asked | undefined => {
      const url = URL.parse(given)
      if (url !== null && url.origin === new URL(asked.url).origin) return { ...asked, url: given }
      return resolve(given)
    },
    /** Redirects lead to allowed hosts, or stay with the mirror they come from. */
    mayFollow: (url: URL): boolean => byHost.get(url.host)?.mirror === null || mirrorOrigins.has(url.origin)
  }
}

export type Rules = ReturnType<typeof makeRules>

/** The origins that the guarded client has to know as the operator's. */
export const mirrorOriginsOf = (rules: ReadonlyArray<RemoteSourceRule>): ReadonlyArray<string> =>
  rules.flatMap(({ mirror }) => (mirror === null ? [] : [new URL(mirror).origin]))
