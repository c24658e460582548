/**
 * The suites that changed files reach: each changed suite, for a changed server module the suites with its name, and for a
 * change of the console its suites in a browser. `packages/server/src/identity/teams/service.ts` reaches
 * `packages/server/test/identity/teams.test.ts`. This table lists modules whose suites have other names.
 */
const suiteNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  "config-objects": ["config-object", "placing", "emulate"],
  connectors: ["connector", "sync", "plan-model", "code-host", "reconcile"],
  "mcp-connections": ["mcp-"],
  oauth: ["mcp-oauth", "capabilities-connect"],
  "scim-protocol": ["scim-"],
  purge: ["housekeeping"],
  sessions: ["sign-in", "sessions"],
  domains: ["sso-domains"],
  auth: ["revocation", "sign-in", "http-malformed"],
  "api-keys": ["api-keys"]
}

/** Suites for a change in a module without its own suite. */
const smoke = ["packages/server/test/infra/smoke.test.ts", "packages/server/test/infra/http-malformed.test.ts"]

/** Where the suites of the console in a browser are. */
const browserFolder = "packages/console/test/"

/** The suites of the console whose pages a changed file is part of: those of its area, or all. */
const browserSuites = (path: string, suites: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = suites.filter((suite) => suite.startsWith(browserFolder))
  // The server's part: cookies, forwarded requests, files.
  if (path.startsWith("packages/server/src/operations/console/")) {
    return all.filter((suite) => /\/(?:security|shell|sign-in)\.test\.ts$/.test(suite))
  }
  if (!path.startsWith("packages/console/") || path.endsWith(".md") || path.endsWith(".test.ts")) return []
  const folder = /^packages\/console\/src\/app\/pages\/([a-z-]+)\//.exec(path)?.[1] ?? ""
  const area = folder === "home" ? "insights" : folder
  const fixtureOf = /^packages\/console\/test\/([a-z-]+)\.fixture\.ts$/.exec(path)?.[1] ?? ""
  const own = all.filter((suite) =>
    [`${area}.test.ts`, `${fixtureOf}.test.ts`].includes(suite.slice(browserFolder.length))
  )
  // Parts that all pages share reach all suites.
  return own.length > 0 ? own : all
}

export const suitesOf = (changed: ReadonlyArray<string>, tracked: ReadonlyArray<string>): ReadonlyArray<string> => {
  const suites = [...new Set([...tracked, ...changed])].filter((path) => path.endsWith(".test.ts"))
  const reached = new Set<string>()
  for (const path of changed) {
    if (suites.includes(path) && !path.includes("/src/")) reached.add(path)
    for (const suite of browserSuites(path, suites)) reached.add(suite)
    const [, wing, module = ""] = /^packages\/server\/src\/([a-z]+)\/([a-z-]+)\//.exec(path) ?? []
    if (wing === undefined) continue
    const names = suiteNames[module] ?? [module, module.replace(/s$/, "")]
    const own = suites.filter((suite) => {
      const [, at, name = ""] = /^packages\/server\/test\/([a-z]+)\/(.+)\.test\.ts$/.exec(suite) ?? []
      return at === wing && names.some((one) => name.startsWith(one))
    })
    for (const suite of own.length > 0 ? own : smoke) reached.add(suite)
  }
  return [...reached].toSorted()
}
