/** The software bills of materials (SBOMs) of the published packages, in CycloneDX. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "../..")

/** Packages are published after those that they depend on, so that each of them can be installed at once. */
export const publishOrder = ["schema", "client", "console", "server", "cli"] as const
export type PackageName = (typeof publishOrder)[number]

export interface Component {
  readonly "bom-ref": string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly licenses?: ReadonlyArray<{
    readonly expression?: string
    readonly license?: { readonly id?: string; readonly name?: string }
  }>
}

/** The parts of an SBOM that are read here. */
export interface Sbom {
  readonly metadata: { readonly component: Component }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

/** The name in the registry: `@group/name`. */
export const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`)

type Names = Readonly<Record<string, string>>
interface Manifest {
  readonly version: string
  readonly repository?: unknown
  readonly dependencies?: Names
  readonly peerDependencies?: Names
}

/** The `package.json` of a package of this repository. */
export const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as Manifest

/** What a user of a package of this repository needs. */
const neededBy = (name: string): ReadonlySet<string> => {
  const { dependencies, peerDependencies } = manifestOf(name)
  return new Set(Object.keys({ ...dependencies, ...peerDependencies }))
}

/** What is installed for the console and is not in its files: tools, and `isbot`, which its router uses only on servers. */
const notInConsole: ReadonlySet<string> = new Set([
  "@sparticuz/chromium",
  "axe-core",
  "isbot",
  "playwright-core",
  "vite"
])

/**
 * Without the development dependencies of the packages that another one bundles: pnpm lists those of the CLI and of the
 * console, which are in their files, and with them those of the client, which are not. Without packages of types, which no
 * bundle contains.
 */
export const withoutIndirectDevelopment = <S extends Sbom>(sbom: S): S => {
  const top = sbom.metadata.component["bom-ref"]
  const byRef = new Map(sbom.components.map((component) => [component["bom-ref"], component]))
  const edges = new Map(
    sbom.dependencies.map(({ dependsOn, ref }) => {
      const component = byRef.get(ref)
      if (ref === top || component?.group !== "@orgplane") {
        const isInFiles = (other: string) => {
          const dependency = byRef.get(other)
          if (dependency === undefined || notInConsole.has(nameOf(dependency))) return false
          return ref !== top || dependency.group !== "@types"
        }
        return [ref, dependsOn.filter(isInFiles)]
      }
      const needed = neededBy(component.name)
      const isNeeded = (other: string) => {
        const dependency = byRef.get(other)
        return dependency !== undefined && needed.has(nameOf(dependency))
      }
      return [ref, dependsOn.filter(isNeeded)]
    })
  )
  const reached = new Set([top])
  // A set can grow while it is iterated.
  for (const ref of reached) for (const other of edges.get(ref) ?? []) reached.add(other)
  return {
    ...sbom,
    components: sbom.components.filter((component) => reached.has(component["bom-ref"])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => reached.has(ref))
      .map((edge) => ({ ...edge, dependsOn: edges.get(edge.ref) ?? [] }))
  }
}

/** The SBOM of a package: what is installed with it, and for the CLI and the console also what their files contain. */
export const sbomOf = async (name: PackageName): Promise<Sbom> => {
  const type = name === "cli" || name === "server" ? "application" : "library"
  const args = ["--yes", "pnpm@12", "--filter", `@orgplane/${name}`, "sbom", "--sbom-format", "cyclonedx"]
  const only = name === "cli" || name === "console" ? [] : ["--prod"]
  const { stdout } = await promisify(execFile)(
    "npx",
    [...args, "--sbom-spec-version", "1.6", "--sbom-type", type, ...only],
    { cwd: root, maxBuffer: 1 << 26 }
  )
  return withoutIndirectDevelopment(JSON.parse(stdout) as Sbom)
}
