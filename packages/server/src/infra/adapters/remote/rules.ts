import type { Destination } from "../../ports/outbound.ts"

/** One host whose content may be read, and the URL to read it from. */
export interface RemoteSourceRule {
  /** In lower case, with its port unless it is the default. */
  readonly host: string
  /** The URL that replaces `https://host`, without a trailing slash; null without a mirror. */
  readonly mirror: string | null
}

/** The name for the npm registry of sources that do not specify a registry. Its URL must be configured. */
export const npmHost = "npm"

/** Parses `host`, `host=mirror-address` or `npm=registry-address`; undefined for anything else. */
export const parseRemoteSource = (text: string): RemoteSourceRule | undefined => {
  const at = text.indexOf("=")
  const host = (at === -1 ? text : text.slice(0, at)).trim().toLowerCase()
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/.test(host)) return undefined
  // Must be in normalized form, without the default port of https.
  if (URL.parse(`https://${host}`)?.host !== host) return undefined
  if (at === -1) return host === npmHost ? undefined : { host, mirror: null }
  const target = text.slice(at + 1).trim()
  const url = URL.parse(target)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined
  if (/[?#]/.test(target)) return undefined
  return { host, mirror: url.href.replace(/\/+$/, "") }
}

/** The request for a URL. */
export interface RemoteRequest {
  readonly url: string
  readonly destination: Destination
}

export const makeRules = (rules: ReadonlyArray<RemoteSourceRule>) => {
  const byHost = new Map(rules.map((rule) => [rule.host, rule]))
  const mirrorOrigins = new Set(rules.flatMap(({ mirror }) => (mirror === null ? [] : [new URL(mirror).origin])))

  /** The request for a stated URL; undefined when its host is not allowed. */
  const resolve = (address: string): RemoteRequest | undefined => {
    const url = URL.parse(address)
    const rule = url === null ? undefined : byHost.get(url.host)
    if (url === null || rule === undefined || url.username !== "" || url.password !== "") return undefined
    if (rule.mirror === null) return { url: address, destination: "supplied" }
    return { url: `${rule.mirror}${url.pathname}${url.search}`, destination: "configured" }
  }

  return {
    allows: (host: string): boolean => byHost.has(host),
    resolve,
    /** The request for a URL from a response: on an allowed host, or on the origin of that response. */
    resolveGiven: (given: string, request: RemoteRequest): RemoteRequest | undefined => {
      const url = URL.parse(given)
      if (url !== null && url.origin === new URL(request.url).origin) return { ...request, url: given }
      return resolve(given)
    },
    /** Redirects must point to allowed hosts or stay on the mirror they come from. */
    mayFollow: (url: URL): boolean => byHost.get(url.host)?.mirror === null || mirrorOrigins.has(url.origin)
  }
}

export type Rules = ReturnType<typeof makeRules>

/** The origins that the outbound HTTP client must treat as `configured`. */
export const mirrorOriginsOf = (rules: ReadonlyArray<RemoteSourceRule>): ReadonlyArray<string> =>
  rules.flatMap(({ mirror }) => (mirror === null ? [] : [new URL(mirror).origin]))
