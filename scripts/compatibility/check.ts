/**
 * Compares the public surface with that of the last release: `node scripts/compatibility/check.ts [surface file]`. The exit
 * code is 1 if a change breaks users of the release and no major changeset has a migration note for it. With a file, which
 * `print.ts` wrote, the surface of that file is compared.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { releases } from "../release-packages.ts"
import { type Changeset, compareSurfaces, refusals } from "./compare.ts"
import { currentSurface, type Surface } from "./surface.ts"

const root = join(import.meta.dirname, "../..")

/** The file that keeps the surface of a release. */
export const surfaceFile = (version: string) => join(root, "releases", version, "surface.json")

/** The last release whose surface is kept. */
export const lastSurface = (): { readonly version: string; readonly surface: Surface } => {
  const version = releases()
    .map((release) => release.version)
    .filter((each) => existsSync(surfaceFile(each)))
    .at(-1)
  if (version === undefined) throw new Error("No release has a surface. Run node scripts/record-release.ts.")
  return { version, surface: JSON.parse(readFileSync(surfaceFile(version), "utf8")) as Surface }
}

export const pendingChangesets = (folder = join(root, ".changeset")): ReadonlyArray<Changeset> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }))

if (import.meta.main) {
  const { surface, version } = lastSurface()
  const today = new Date().toISOString().slice(0, 10)
  const [file] = process.argv.slice(2)
  const current = file === undefined ? await currentSurface() : (JSON.parse(readFileSync(file, "utf8")) as Surface)
  const breaks = compareSurfaces(surface, current)
  const refused = refusals(surface, breaks, pendingChangesets(), today)
  for (const { sentence } of refused) console.error(sentence)
  const announced = breaks.length - refused.length
  console.log(
    refused.length === 0
      ? `Compatible with ${version}${announced === 0 ? "" : `, except ${announced} announced breaking change${announced === 1 ? "" : "s"}`}.`
      : `${refused.length} breaking change${refused.length === 1 ? "" : "s"} since ${version}.`
  )
  process.exitCode = refused.length === 0 ? 0 : 1
}
