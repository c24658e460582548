import { sha256 } from "../../../infra/crypto/digest.ts"
import type { RemotePlace } from "../../../infra/ports/remote-content.ts"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import type { RemoteSource } from "./candidate.ts"
import { isRemotePath, remoteRoot, resolveInside, showPath } from "./paths.ts"
import { withoutTrailing } from "../../../infra/normalize.ts"

/** The folder of a plugin from another source. It depends on the plugin's key only, not on the pinned revision. */
export const remoteFolder = (key: string): string => {
  const name = /^marketplace:([a-z0-9]+(?:-[a-z0-9]+)*)$/u.exec(key)?.[1]
  return `${remoteRoot}/${name !== undefined && name.length <= 100 ? name : `~${sha256(key).slice(0, 24)}`}`
}

/**
 * The files of a repository, excluding those below the reserved folder. Returns the listing itself if there are none to
 * exclude.
 */
export const ownEntries = (entries: ReadonlyArray<TreeEntry>): ReadonlyArray<TreeEntry> =>
  entries.some(({ path }) => isRemotePath(path)) ? entries.filter(({ path }) => !isRemotePath(path)) : entries

/** The location of a pinned source, and the plugin's folder in it ("" for the root). */
export type PlaceResult =
  | { readonly ok: true; readonly place: RemotePlace; readonly folder: string }
  | { readonly ok: false; readonly reason: string }

const refused = (reason: string): PlaceResult => ({ ok: false, reason })

/** An exact semantic version. A range or a tag can resolve to another version later. */
const exactVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/u
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/iu

/** Sources without a `registry` use the one that the operator sets as `npm=<address>`; the host is that setting's name. */
export const npmRegistry = "https://npm"

/** Converts a pinned source to a location, or returns why its pin is invalid. */
export const placeOf = (source: RemoteSource): PlaceResult => {
  const pin = source.pin ?? ""
  if (!source.isPlain) return refused("its URL has user information, a query or a fragment, which are not sent")
  switch (source.kind) {
    case "npm": {
      if (source.version === null || !exactVersion.test(source.version)) {
        return refused('its "version" is not an exact version')
      }
      if (!packageName.test(source.locator) || source.locator.length > 214) {
        return refused('its "package" is not a valid package name')
      }
      if (!/(?:^|\s)sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}(?:\s|\?|$)/u.test(pin)) {
        return refused('its "integrity" is not a SHA-256, SHA-384 or SHA-512 digest')
      }
      const registry = withoutTrailing(source.registry ?? npmRegistry, "/")
      return {
        ok: true,
        place: { kind: "npm", registry, name: source.locator, version: source.version, integrity: pin },
        folder: ""
      }
    }
    case "archive":
      if (!/^[0-9a-f]{64}$/iu.test(pin)) return refused('its "sha256" is not a digest of 64 hexadecimal digits')
      if (!/^https?:/u.test(source.locator)) return refused("its URL is not an https URL")
      return { ok: true, place: { kind: "archive", url: source.locator, sha256: pin.toLowerCase() }, folder: "" }
    default: {
      if (!/^[0-9a-f]{40}$/iu.test(pin)) return refused('its "sha" is not a full commit SHA of 40 hexadecimal digits')
      const cloneUrl =
        source.kind === "github" || !source.locator.includes("://")
          ? `https://${source.host}/${source.locator}`
          : source.locator.replace(/^ssh:\/\//u, "https://")
      if (!/^https?:/u.test(cloneUrl)) return refused("its URL is not an https URL")
      const inside = source.path === null ? null : resolveInside("", dotted(source.path))
      if (inside !== null && !inside.ok) return refused(`its "path" ${showPath(source.path ?? "")} ${inside.reason}`)
      return {
        ok: true,
        place: { kind: "git", cloneUrl, commit: pin.toLowerCase() },
        folder: inside?.path ?? ""
      }
    }
  }
}

/** A folder of another repository may be written with or without "./". */
const dotted = (path: string): string => (/^(?:\.$|\.?\/)/u.test(path) ? path : `./${path}`)
