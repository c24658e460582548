/**
 * Checks the licenses of everything that is installed with the published packages or bundled into them, and prints the
 * list: `node scripts/release/licenses.ts`. The exit code is 1 if a license is not allowed.
 */
import allowed from "./allowed-licenses.json" with { type: "json" }
import { nameOf, publishOrder, type Sbom, sbomOf } from "./sbom.ts"

export interface Licensed {
  readonly name: string
  readonly version: string
  /** An SPDX expression; `none` if the package states no license. */
  readonly license: string
}

const isAllowed = (expression: string): boolean => {
  const plain = expression.replaceAll(/[()]/gu, "")
  // A choice needs one allowed license, a combination needs all.
  if (plain.includes(" OR ")) return plain.split(" OR ").some(isAllowed)
  return plain.split(" AND ").every((license) => allowed.includes(license.trim()))
}

/** Each version of each package of other authors, sorted by name. */
export const licensesOf = (sboms: ReadonlyArray<Sbom>): ReadonlyArray<Licensed> => {
  const rows = new Map<string, Licensed>()
  for (const component of sboms.flatMap(({ components }) => components)) {
    if (component.group === "@orgplane") continue
    const name = nameOf(component)
    const stated = (component.licenses ?? []).map(
      ({ expression, license }) => expression ?? license?.id ?? license?.name ?? "none"
    )
    const license = stated.length === 0 ? "none" : stated.join(" AND ")
    rows.set(`${name} ${component.version}`, { name, version: component.version, license })
  }
  return [...rows.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** A sentence for each package whose license is not allowed. */
export const refusedLicenses = (licenses: ReadonlyArray<Licensed>): ReadonlyArray<string> =>
  licenses
    .filter(({ license }) => !isAllowed(license))
    .map(
      ({ license, name, version }) =>
        `${name} ${version} has the license ${license}. Use another package, or add the license to scripts/release/allowed-licenses.json.`
    )

/** The list as Markdown. */
export const licenseList = (licenses: ReadonlyArray<Licensed>): string => {
  const rows = licenses.map(({ license, name, version }) => `| ${name} | ${version} | ${license} |`)
  return ["# Licenses of dependencies", "", "| Package | Version | License |", "|---|---|---|", ...rows, ""].join("\n")
}

if (import.meta.main) {
  const licenses = licensesOf(await Promise.all(publishOrder.map(sbomOf)))
  const refused = refusedLicenses(licenses)
  for (const sentence of refused) console.error(sentence)
  process.stdout.write(licenseList(licenses))
  process.exitCode = refused.length === 0 ? 0 : 1
}
