import { keyMax } from "@orgplane/schema/shared/configuration-document"

const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, keyMax - 6)
    .replace(/-$/, "")

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
