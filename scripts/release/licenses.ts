/**
 * Checks the licenses of the production dependencies of the published packages, and prints the list:
 * `node scripts/release/licenses.ts`. The exit code is 1 if a license is not allowed.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import allowed from "./allowed-licenses.json" with { type: "json" }

const root = join(import.meta.dirname, "../..")

/** A package in the output of `pnpm licenses list --json`. */
interface Listed {
  readonly name: string
  readonly versions: ReadonlyArray<string>
}
export type Licenses = Readonly<Record<string, ReadonlyArray<Listed>>>

const isAllowed = (expression: string): boolean => {
  const plain = expression.replaceAll(/[()]/gu, "")
  // A choice needs one allowed license, a combination needs all.
  if (plain.includes(" OR ")) return plain.split(" OR ").some(isAllowed)
  return plain.split(" AND ").every((license) => allowed.includes(license.trim()))
}

/** A sentence for each package whose license is not allowed. */
export const refusedLicenses = (licenses: Licenses): ReadonlyArray<string> =>
  Object.entries(licenses)
    .filter(([license]) => !isAllowed(license))
    .flatMap(([license, packages]) =>
      packages.map(
        ({ name, versions }) =>
          `${name} ${versions.join(", ")} has the license ${license}. Use another package, or add the license to scripts/release/allowed-licenses.json.`
      )
    )

/** The list as Markdown, sorted by name. */
export const licenseList = (licenses: Licenses): string => {
  const rows = Object.entries(licenses)
    .flatMap(([license, packages]) => packages.map(({ name, versions }) => ({ license, name, versions })))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ license, name, versions }) => `| ${name} | ${versions.join(", ")} | ${license} |`)
  return ["# Licenses of dependencies", "", "| Package | Version | License |", "|---|---|---|", ...rows, ""].join("\n")
}

/** The licenses of all dependencies that are installed with the published packages. */
export const productionLicenses = (): Licenses => {
  const args = ["--yes", "pnpm@12", "--filter", "./packages/*", "licenses", "list", "--prod", "--json"]
  return JSON.parse(execFileSync("npx", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })) as Licenses
}

if (import.meta.main) {
  const licenses = productionLicenses()
  const refused = refusedLicenses(licenses)
  for (const sentence of refused) console.error(sentence)
  process.stdout.write(licenseList(licenses))
  process.exitCode = refused.length === 0 ? 0 : 1
}
