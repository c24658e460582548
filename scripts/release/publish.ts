/** Publishes the tarballs of a folder, each once. */
import { execFileSync, spawnSync } from "node:child_process"
import { basename } from "node:path"
import { integrityOf, tarballsOf } from "../release-packages.ts"
import { manifestOf, publishOrder } from "./sbom.ts"

/** The tarballs of a folder, in the order in which they are published. */
export const filesOf = (folder: string) => {
  const tarballs = tarballsOf(folder)
  const integrity = integrityOf(tarballs)
  return publishOrder.map((short) => {
    const name = `@orgplane/${short}`
    const file = tarballs.get(name)
    if (file === undefined) throw new Error(`${name} was not packed.`)
    return { short, name, file, integrity: integrity[name] ?? "" }
  })
}

/** The integrity of a published version; undefined if the registry does not have it, or does not respond. */
const publishedIntegrity = (specifier: string, registry: ReadonlyArray<string>): string | undefined => {
  const { status, stdout } = spawnSync("npm", ["view", specifier, "dist.integrity", ...registry], { encoding: "utf8" })
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined
}

export interface PublishOptions {
  readonly dryRun: boolean
  /** Default: the registry that npm is configured for. */
  readonly registry?: string | undefined
}

/**
 * Publishes packages after those that they depend on, so that each of them can be installed at once. A version that the
 * registry already has is skipped, so that a run that failed halfway can be repeated. It must have the same content.
 */
export const publish = (folder: string, { dryRun, registry: url }: PublishOptions): void => {
  const registry = url === undefined ? [] : ["--registry", url]
  for (const { file, integrity, name, short } of filesOf(folder)) {
    if (dryRun) {
      console.log(`would publish ${name}: ${basename(file)}`)
      continue
    }
    const specifier = `${name}@${manifestOf(short).version}`
    const published = publishedIntegrity(specifier, registry)
    if (published === integrity) {
      console.log(`skipped ${name}: ${specifier} is already published`)
      continue
    }
    if (published !== undefined) {
      throw new Error(`${specifier} is already published with other content. Raise the version, and publish again.`)
    }
    // In CI, npm authenticates by OIDC and signs a provenance statement.
    const provenance = process.env["GITHUB_ACTIONS"] === "true" ? "--provenance" : "--provenance=false"
    execFileSync("npm", ["publish", file, "--access", "public", provenance, ...registry], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    console.log(`published ${name}`)
  }
}
