import { normalize } from "../../infra/normalize.ts"
import type { KnownServer } from "./preset-list.ts"
import { presetAt, presetNamed } from "./presets.ts"
import { withoutTrailing } from "../../infra/normalize.ts"

/** An address to ask. */
export interface Candidate {
  readonly url: string
  /** Somebody wrote this very address; others were guessed from it. */
  readonly typed: boolean
}

/** What a query means: which addresses to ask, best first, or why none. */
export type Reading =
  | {
      readonly kind: "preset"
      readonly preset: KnownServer
      readonly candidates: ReadonlyArray<Candidate>
    }
  | { readonly kind: "guess"; readonly candidates: ReadonlyArray<Candidate> }
  | { readonly kind: "nothing"; readonly reason: string }

export const candidatesMax = 5
const wordsMax = 3
/** Of one part of a host name. */
const labelCharactersMax = 63

const nothing = (reason: string): Reading => ({ kind: "nothing", reason })
export const notAnAddress = "This is neither an address, nor a host, nor the name of a product."
export const aSentence = "This reads like a sentence: ask for an address, a host, or the name of a product."
export const otherScheme = "Only servers behind https can be used."

const collect = (urls: ReadonlyArray<readonly [url: string, typed: boolean]>): ReadonlyArray<Candidate> => {
  const found = new Map<string, Candidate>()
  for (const [text, typed] of urls) {
    const url = URL.parse(text)?.href
    if (url !== undefined && !found.has(url)) found.set(url, { url, typed })
  }
  return [...found.values()].slice(0, candidatesMax)
}

const isAddress = ({ hostname }: URL): boolean => hostname.startsWith("[") || /^[\d.]+$/u.test(hostname)

/** Beside `host`, the host that servers of tools usually have. */
const mcpHost = (url: URL): string | undefined =>
  isAddress(url) || url.port !== "" || !url.hostname.includes(".") || url.hostname.startsWith("mcp.")
    ? undefined
    : `mcp.${url.hostname.replace(/^www\./u, "")}`

/** An address with its whole path: itself first, then where its host is likely to have one. */
const ofUrl = (url: URL): ReadonlyArray<Candidate> => {
  // A password would go with every guess: the guard refuses the first one, and that is enough.
  if (url.username !== "" || url.password !== "") return collect([[url.href, true]])
  // Where http was written without a port, its https side is likelier to be meant than plain http.
  const origin = url.protocol === "http:" && url.port === "" ? `https://${url.host}` : url.origin
  const below = withoutTrailing(url.pathname, "/")
  return collect([
    [url.href, true],
    ...(origin === url.origin ? [] : [[`${origin}${url.pathname}${url.search}`, true] as const]),
    ...(below === "" || /\/(mcp|sse)$/u.test(below) ? [] : [[`${origin}${below}/mcp`, false] as const]),
    [`${origin}/mcp`, false],
    [`${origin}/sse`, false],
    [`${origin}/`, false]
  ])
}

const ofHost = (url: URL): ReadonlyArray<Candidate> => {
  const other = mcpHost(url)
  return collect([
    [`${url.origin}/mcp`, true],
    [`${url.origin}/`, true],
    ...(other === undefined ? [] : [[`https://${other}/mcp`, false] as const, [`https://${other}/`, false] as const]),
    [`${url.origin}/sse`, false]
  ])
}

const guessedEndings = ["com", "app", "dev", "io"]

/** Hosts that a product of this name may have; nobody says that they are the product's, so people have to look. */
const ofName = (label: string): ReadonlyArray<Candidate> =>
  collect([
    [`https://mcp.${label}.com/mcp`, false],
    [`https://mcp.${label}.com/`, false],
    ...guessedEndings.slice(1).map((ending) => [`https://mcp.${label}.${ending}/mcp`, false] as const)
  ])

const readUrl = (url: URL, candidates: ReadonlyArray<Candidate>): Reading => {
  const isPlain = url.port === "" && url.username === "" && url.password === ""
  const preset = isPlain ? presetAt(url.hostname) : undefined
  if (preset === undefined) return { kind: "guess", candidates }
  // Of the endpoint's own host a path may say more than the list does: a project, a region, a tool set.
  const endpoint = new URL(preset.url)
  const saysMore =
    url.protocol === "https:" && url.host === endpoint.host && (url.pathname !== "/" || url.search !== "")
  return {
    kind: "preset",
    preset,
    candidates: collect([...(saysMore ? [[url.href, true] as const] : []), [endpoint.href, true]])
  }
}

const scheme = /^[a-z][a-z0-9+.-]*:\/\//iu
/** What only a host has: a dot between letters, a port, a path, a user, brackets. */
const hostLike = /[.:/@[\]\\%。．｡]/u

/** The host of a text without a scheme; an IPv6 address may come without its brackets. */
const parseHost = (text: string): URL | null =>
  URL.parse(`https://${text}`) ?? (/^[\da-f:.]+$/iu.test(text) ? URL.parse(`https://[${text}]/`) : null)

const readHost = (text: string): Reading => {
  const url = parseHost(text)
  if (url === null) return nothing(notAnAddress)
  url.hash = ""
  const isBare = url.pathname === "/" && url.search === "" && url.username === "" && url.password === ""
  return readUrl(url, isBare ? ofHost(url) : ofUrl(url))
}

/** What somebody typed (1-200 characters), as addresses. Never fails, never asks anybody. */
export const readQuery = (query: string): Reading => {
  const text = query.trim()
  const named = presetNamed(text)
  if (named !== undefined) {
    return { kind: "preset", preset: named, candidates: collect([[named.url, true]]) }
  }
  if (/\p{Cc}/u.test(text)) return nothing(notAnAddress)
  if (scheme.test(text)) {
    const url = URL.parse(text)
    if (url === null || /\s/u.test(text)) return nothing(notAnAddress)
    if (url.protocol !== "https:" && url.protocol !== "http:") return nothing(otherScheme)
    url.hash = ""
    return readUrl(url, ofUrl(url))
  }
  const words = text.split(/\s+/u)
  if (words.length === 1 && hostLike.test(text)) return readHost(text)
  if (words.length > wordsMax || text.length > 2 * labelCharactersMax) return nothing(aSentence)
  const label = normalize(text, "NFKC")
    .toLowerCase()
    .replace(/[\s_]+/gu, "")
  if (!/^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u.test(label)) return nothing(notAnAddress)
  const host = URL.parse(`https://${label}/`)
  // `localhost`, `2130706433` and `0x7f000001` are addresses, not names: the guard judges them.
  if (host !== null && (isAddress(host) || host.hostname === "localhost")) return readHost(label)
  if (host === null || host.hostname.length > labelCharactersMax) return nothing(notAnAddress)
  return { kind: "guess", candidates: ofName(host.hostname) }
}

/** A candidate as it may be shown: a query or user info may hold a secret. */
export const shown = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return "an address"
  const whole = `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`
  return whole.length > 200 ? `${whole.slice(0, 199)}…` : whole
}

/** What a connection to it could be called: the part of its host that names somebody. */
export const suggestedName = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return ""
  if (isAddress(url)) return url.hostname.replace(/^\[|\]$/gu, "")
  const labels = url.hostname.split(".")
  // `co.uk` names nobody.
  const place =
    labels.length > 2 && (labels.at(-2)?.length ?? 0) <= 3 && !/^(www|mcp|api)$/u.test(labels.at(-3) ?? "") ? -3 : -2
  const label = labels.at(place) ?? url.hostname
  const name = label === "mcp" || label.startsWith("xn--") ? url.hostname : label
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
