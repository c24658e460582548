import { builtInRoles, keyMax } from "@orgplane/schema/shared/configuration-document"
import type { KeyRow } from "./keys-repo.ts"

const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, keyMax - 6)
    .replace(/-$/, "")

/**
 * The keys of the objects of a kind: those that are stored in `rows`, otherwise derived from the names in the order of the
 * objects.
 */
export const keyObjects = <A extends { readonly id: string; readonly name: string }>(
  rows: ReadonlyArray<KeyRow>,
  kind: string,
  objects: ReadonlyArray<A>
): ReadonlyArray<A & { readonly key: string; readonly isStored: boolean }> => {
  const own = rows.filter((row) => row.kind === kind)
  const stored = new Map(own.flatMap((row) => (row.is_removed ? [] : [[row.object_id, row.key] as const])))
  // The names of built-in roles refer to these.
  const used = new Set([...own.map(({ key }) => key), ...(kind === "roles" ? builtInRoles : [])])
  return objects.map((object) => {
    const storedKey = stored.get(object.id)
    const key = storedKey ?? deriveKey(object.name, used)
    used.add(key)
    return { ...object, key, isStored: storedKey !== undefined }
  })
}

/** A key for an object with this name that is not used yet. */
export const deriveKey = (name: string, used: ReadonlySet<string>): string => {
  const slug = slugOf(name)
  const base = slug === "" ? "unnamed" : slug
  if (!used.has(base)) return base
  for (let number = 2; ; number += 1) {
    const key = `${base}-${number}`
    if (!used.has(key)) return key
  }
}
