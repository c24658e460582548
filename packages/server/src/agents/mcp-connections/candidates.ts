import { normalize } from "../../infra/normalize.ts"
import type { KnownServer } from "./preset-list.ts"
import { presetAt, presetNamed } from "./presets.ts"
import { withoutTrailing } from "../../infra/normalize.ts"

/** A URL to probe. */
export interface Candidate {
  readonly url: string
  /** True for the URL that the user entered, false for URLs derived from it. */
  readonly typed: boolean
}

/** A parsed query: the URLs to probe, best first, or why there are none. */
export type ParsedQuery =
  | {
      readonly kind: "preset"
      readonly preset: KnownServer
      readonly candidates: ReadonlyArray<Candidate>
    }
  | { readonly kind: "guess"; readonly candidates: ReadonlyArray<Candidate> }
  | { readonly kind: "nothing"; readonly reason: string }

export const candidatesMax = 5
const wordsMax = 3
/** The maximum length of one label of a host name. */
const labelCharactersMax = 63

const notParsed = (reason: string): ParsedQuery => ({ kind: "nothing", reason })
export const notAnAddress = "The query must be a URL, a host, or the name of a product."
export const looksLikeSentence = "The query looks like a sentence. Enter a URL, a host, or the name of a product."
export const otherScheme = "The URL must use https."

const uniqueCandidates = (urls: ReadonlyArray<readonly [url: string, typed: boolean]>): ReadonlyArray<Candidate> => {
  const candidates = new Map<string, Candidate>()
  for (const [text, typed] of urls) {
    const url = URL.parse(text)?.href
    if (url !== undefined && !candidates.has(url)) candidates.set(url, { url, typed })
  }
  return [...candidates.values()].slice(0, candidatesMax)
}

const isAddress = ({ hostname }: URL): boolean => hostname.startsWith("[") || /^[\d.]+$/u.test(hostname)

/** The `mcp.` host next to a host, where MCP servers usually are. */
const mcpHostOf = (url: URL): string | undefined =>
  isAddress(url) || url.port !== "" || !url.hostname.includes(".") || url.hostname.startsWith("mcp.")
    ? undefined
    : `mcp.${url.hostname.replace(/^www\./u, "")}`

/** Candidates for a full URL: the URL itself, then the usual endpoints on its host. */
const candidatesOfUrl = (url: URL): ReadonlyArray<Candidate> => {
  // A URL with a password has no other candidates, because the password would be sent to each of them. The outbound
  // HTTP client rejects the original URL.
  if (url.username !== "" || url.password !== "") return uniqueCandidates([[url.href, true]])
  // For an http URL without a port, https on the same host is more likely intended.
  const origin = url.protocol === "http:" && url.port === "" ? `https://${url.host}` : url.origin
  const path = withoutTrailing(url.pathname, "/")
  return uniqueCandidates([
    [url.href, true],
    ...(origin === url.origin ? [] : [[`${origin}${url.pathname}${url.search}`, true] as const]),
    ...(path === "" || /\/(mcp|sse)$/u.test(path) ? [] : [[`${origin}${path}/mcp`, false] as const]),
    [`${origin}/mcp`, false],
    [`${origin}/sse`, false],
    [`${origin}/`, false]
  ])
}

const candidatesOfHost = (url: URL): ReadonlyArray<Candidate> => {
  const mcpHost = mcpHostOf(url)
  return uniqueCandidates([
    [`${url.origin}/mcp`, true],
    [`${url.origin}/`, true],
    ...(mcpHost === undefined
      ? []
      : [[`https://${mcpHost}/mcp`, false] as const, [`https://${mcpHost}/`, false] as const]),
    [`${url.origin}/sse`, false]
  ])
}

const guessedEndings = ["com", "app", "dev", "io"]

/** Likely hosts of a product with this name. They may belong to someone else, so users must check them. */
const candidatesOfName = (label: string): ReadonlyArray<Candidate> =>
  uniqueCandidates([
    [`https://mcp.${label}.com/mcp`, false],
    [`https://mcp.${label}.com/`, false],
    ...guessedEndings.slice(1).map((ending) => [`https://mcp.${label}.${ending}/mcp`, false] as const)
  ])

const parseUrl = (url: URL, candidates: ReadonlyArray<Candidate>): ParsedQuery => {
  const isPlain = url.port === "" && url.username === "" && url.password === ""
  const preset = isPlain ? presetAt(url.hostname) : undefined
  if (preset === undefined) return { kind: "guess", candidates }
  // On the endpoint's own host, a path may be more specific than the preset, such as a project, a region or a tool set.
  const endpoint = new URL(preset.url)
  const isMoreSpecific =
    url.protocol === "https:" && url.host === endpoint.host && (url.pathname !== "/" || url.search !== "")
  return {
    kind: "preset",
    preset,
    candidates: uniqueCandidates([...(isMoreSpecific ? [[url.href, true] as const] : []), [endpoint.href, true]])
  }
}

const scheme = /^[a-z][a-z0-9+.-]*:\/\//iu
/** Characters that only occur in hosts: dots, ports, paths, user info, brackets. */
const hostLike = /[.:/@[\]\\%。．｡]/u

/** Parses a host without a scheme; IPv6 addresses may lack brackets. */
const parseHost = (text: string): URL | null =>
  URL.parse(`https://${text}`) ?? (/^[\da-f:.]+$/iu.test(text) ? URL.parse(`https://[${text}]/`) : null)

const parseHostQuery = (text: string): ParsedQuery => {
  const url = parseHost(text)
  if (url === null) return notParsed(notAnAddress)
  url.hash = ""
  const isBare = url.pathname === "/" && url.search === "" && url.username === "" && url.password === ""
  return parseUrl(url, isBare ? candidatesOfHost(url) : candidatesOfUrl(url))
}

/** Parses a user's query (1-200 characters). Never fails and sends no requests. */
export const parseQuery = (query: string): ParsedQuery => {
  const text = query.trim()
  const preset = presetNamed(text)
  if (preset !== undefined) {
    return { kind: "preset", preset: preset, candidates: uniqueCandidates([[preset.url, true]]) }
  }
  if (/\p{Cc}/u.test(text)) return notParsed(notAnAddress)
  if (scheme.test(text)) {
    const url = URL.parse(text)
    if (url === null || /\s/u.test(text)) return notParsed(notAnAddress)
    if (url.protocol !== "https:" && url.protocol !== "http:") return notParsed(otherScheme)
    url.hash = ""
    return parseUrl(url, candidatesOfUrl(url))
  }
  const words = text.split(/\s+/u)
  if (words.length === 1 && hostLike.test(text)) return parseHostQuery(text)
  if (words.length > wordsMax || text.length > 2 * labelCharactersMax) return notParsed(looksLikeSentence)
  const label = normalize(text, "NFKC")
    .toLowerCase()
    .replace(/[\s_]+/gu, "")
  if (!/^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u.test(label)) return notParsed(notAnAddress)
  const host = URL.parse(`https://${label}/`)
  // `localhost`, `2130706433` and `0x7f000001` are addresses, not names: the outbound HTTP client decides about them.
  if (host !== null && (isAddress(host) || host.hostname === "localhost")) return parseHostQuery(label)
  if (host === null || host.hostname.length > labelCharactersMax) return notParsed(notAnAddress)
  return { kind: "guess", candidates: candidatesOfName(host.hostname) }
}

/** A URL without parts that may contain secrets: query and user info. */
export const displayUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return "an address"
  const display = `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`
  return display.length > 200 ? `${display.slice(0, 199)}…` : display
}

/** A suggested connection name: the distinctive label of the host. */
export const suggestedName = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return ""
  if (isAddress(url)) return url.hostname.replace(/^\[|\]$/gu, "")
  const labels = url.hostname.split(".")
  // Suffixes such as `co.uk` are not distinctive.
  const labelIndex =
    labels.length > 2 && (labels.at(-2)?.length ?? 0) <= 3 && !/^(www|mcp|api)$/u.test(labels.at(-3) ?? "") ? -3 : -2
  const label = labels.at(labelIndex) ?? url.hostname
  const name = label === "mcp" || label.startsWith("xn--") ? url.hostname : label
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
