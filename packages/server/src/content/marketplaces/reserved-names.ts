/** Marketplace names that Claude Code rejects or treats as its vendor's, as of version 2.1.330. */
const reserved = new Set([
  "agent-skills",
  "builtin",
  "first-party-plugins",
  "financial-services-plugins",
  "healthcare",
  "inline",
  "knowledge-work-plugins",
  "life-sciences",
  "npm",
  "skills-dir",
  "synced"
])

/** The vendor's names, also with hyphens inside. */
const isVendors = (name: string) => /anthropic|claude/u.test(name.replaceAll("-", ""))

/** A name that no client treats as its vendor's. A reserved name gets the prefix `org-`. */
export const notReserved = (name: string): string => {
  if (!reserved.has(name) && !isVendors(name)) return name
  const rest = name
    .split("-")
    .filter((word) => !isVendors(word))
    .join("-")
  const safe = rest === "" || isVendors(rest) ? "marketplace" : rest
  return `org-${safe}`
}
