/**
 * Names of marketplaces that Claude Code refuses, or treats as those of its vendor, whoever serves them. Read from
 * version 2.1.330.
 */
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

/** The vendor's names, also where hyphens cut them. */
const isVendors = (name: string) => /anthropic|claude/u.test(name.replaceAll("-", ""))

/** A name that no client takes for its vendor's. What remains of a refused one is led by a word of ours. */
export const notReserved = (name: string): string => {
  if (!reserved.has(name) && !isVendors(name)) return name
  const rest = name
    .split("-")
    .filter((word) => !isVendors(word))
    .join("-")
  const safe = rest === "" || isVendors(rest) ? "marketplace" : rest
  return `org-${safe}`
}
