import { isJsonObject, type Json } from "../../config-objects/parse-json.ts"
import { boundedLine } from "../../config-objects/parse-text.ts"
import type { RemoteSource } from "./candidate.ts"
import { resolveInside, showPath } from "./paths.ts"
import { npmRegistry } from "./remote.ts"
import type { Tree } from "./tree.ts"

export type Source =
  | { readonly kind: "local"; readonly rootPath: string }
  | { readonly kind: "remote"; readonly source: RemoteSource }
  | { readonly kind: "refused"; readonly warning: string }

const repositoryName = /^[\w.-]+\/[\w.-]+$/u

const refused = (warning: string): Source => ({ kind: "refused", warning })

/** The source of the plugin of a marketplace entry. */
export const readSource = (source: Json | undefined, pluginRoot: string | null, tree: Tree): Source => {
  if (typeof source === "string") return localSource(source, pluginRoot, tree)
  if (!isJsonObject(source)) return refused('"source" must be a path that starts with "./" or an object.')
  const text = (name: string): string | null => {
    const value = source[name]
    return typeof value === "string" ? boundedLine(value, 512) || null : null
  }
  const kind = text("source")
  const remote = (of: Pick<RemoteSource, "kind" | "host" | "locator" | "pin"> & Partial<RemoteSource>): Source => ({
    kind: "remote",
    source: { path: null, ref: text("ref"), version: null, registry: null, isPlain: true, ...of }
  })
  const needs = (name: string) => refused(`a "${kind}" source requires "${name}".`)

  switch (kind) {
    case "github": {
      const repo = text("repo")
      if (repo === null || !repositoryName.test(repo))
        return refused('a "github" source requires "repo" as owner/name.')
      return remote({ kind, host: "github.com", locator: repo, pin: text("sha") })
    }
    case "url":
    case "archive":
    case "git-subdir": {
      const url = text("url")
      if (kind === "git-subdir" && url !== null && repositoryName.test(url)) {
        const path = text("path")
        return path === null
          ? needs("path")
          : remote({ kind, host: "github.com", locator: url, path, pin: text("sha") })
      }
      const place = placeOf(url)
      if (place === null) return needs("url")
      if (kind === "archive") return remote({ kind, ...place, pin: text("sha256") })
      if (kind === "url") return remote({ kind, ...place, pin: text("sha") })
      const path = text("path")
      return path === null ? needs("path") : remote({ kind, ...place, path, pin: text("sha") })
    }
    case "npm": {
      const name = text("package")
      if (name === null) return needs("package")
      const registry = placeOf(text("registry"))
      if (registry === null && source["registry"] !== undefined) {
        return refused('"registry" is not a URL.')
      }
      return remote({
        kind,
        host: registry?.host ?? new URL(npmRegistry).host,
        locator: name,
        pin: text("integrity"),
        version: text("version"),
        registry: registry?.locator ?? null,
        isPlain: registry?.isPlain ?? true
      })
    }
    default:
      return refused(`"source" has an unknown kind${kind === null ? "" : ` ${showPath(kind)}`}.`)
  }
}

const localSource = (path: string, pluginRoot: string | null, tree: Tree): Source => {
  const root =
    pluginRoot === null ? null : resolveInside("", /^\.(?:\/|$)/u.test(pluginRoot) ? pluginRoot : `./${pluginRoot}`)
  if (root !== null && !root.ok) return refused(`"metadata.pluginRoot" ${root.reason}.`)
  const dotted = path === "." || path.startsWith("./")
  // A bare name is relative to pluginRoot, and invalid without one.
  const resolved = resolveInside(dotted || root === null ? "" : root.path, dotted || root === null ? path : `./${path}`)
  if (!resolved.ok) return refused(`"source" ${showPath(path)} ${resolved.reason}.`)
  if (dotted && root !== null && tree.under(resolved.path).length === 0) {
    const prefixed = resolveInside(root.path, path)
    if (prefixed.ok && tree.under(prefixed.path).length > 0) return { kind: "local", rootPath: prefixed.path }
  }
  return { kind: "local", rootPath: resolved.path }
}

/**
 * Host and path of a repository or file URL, without user information, query or fragment, which may contain
 * credentials.
 */
const placeOf = (sourceUrl: string | null): Pick<RemoteSource, "host" | "locator" | "isPlain"> | null => {
  if (sourceUrl === null) return null
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/)([\w./~-]+)$/u.exec(sourceUrl)
  if (short?.[1] !== undefined && short[2] !== undefined)
    return { host: short[1].toLowerCase(), locator: `ssh://${short[1]}/${short[2]}`, isPlain: true }
  if (!URL.canParse(sourceUrl)) return null
  const url = new URL(sourceUrl)
  if (url.host === "") return null
  // Over SSH, the user name is fixed by the host (for example, `git`).
  const isPlain =
    url.search === "" && url.hash === "" && url.password === "" && (url.username === "" || url.protocol === "ssh:")
  return { host: url.host, locator: `${url.protocol}//${url.host}${url.pathname}`, isPlain }
}
