import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { variables } from "../packages/server/src/infra/config/variables.ts"
import { tenantTables } from "../packages/server/src/infra/sql/migrations/index.ts"
import { sections } from "../scripts/codegen/sections.ts"
import { crossTenantStatements } from "./architecture/cross-tenant-statements.ts"
import * as rules from "./architecture/rules.ts"
import { importsOf, partsOf, root, type Source, sourcesOf } from "./architecture/source.ts"
import { type Fault, loose, statementsOf, withoutOrganization } from "./architecture/sql.ts"

const sources = ["schema", "client", "cli", "console", "server"].flatMap((name) => sourcesOf(`packages/${name}/src`))
const everything = ["packages", "test", "scripts", "examples", "bench", "counterparts"].flatMap((name) =>
  sourcesOf(name, { tests: true })
)
const server = sources.filter(({ path }) => path.startsWith("packages/server/src/"))
const generated = ["packages/client/src/generated/operations.ts", "packages/client/src/generated/types.ts"].map(
  (path): Source => ({ path, text: readFileSync(join(root, path), "utf8") })
)

const fault = (path: string, what: string): Fault => ({ place: path, what })
const matches = (name: string, allowed: ReadonlyArray<string>) =>
  allowed.some((one) => (/[/:]$/.test(one) ? name.startsWith(one) : name === one))
const isIn = (path: string, list: Readonly<Record<string, string>>) =>
  Object.keys(list).some((entry) => (entry.endsWith("/") ? path.startsWith(entry) : path === entry))

/** Imports of packages that are not allowed in the file's package. */
const forbiddenPackages = ({ path, text }: Source): ReadonlyArray<Fault> => {
  const folder = Object.keys(rules.allowedImports).find((folder) => path.startsWith(`${folder}/`))
  const allowed = folder === undefined ? [] : (rules.allowedImports[folder] ?? [])
  return importsOf(text)
    .filter(({ from }) => !from.startsWith("."))
    .filter(({ from }) => !matches(from, allowed))
    .map(({ from }) => fault(path, `imports ${from}`))
}

/** Imports by a relative path that leave the package. */
const outOfPackage = ({ path, text }: Source): ReadonlyArray<Fault> => {
  const home = path.split("/").slice(0, 2).join("/")
  return importsOf(text)
    .filter(({ from }) => from.startsWith("."))
    .map(({ from }) => ({ from, to: join(dirname(path), from) }))
    .filter(({ to }) => !to.startsWith(`${home}/`))
    .map(({ from }) => fault(path, `imports ${from}`))
}

const base = "packages/server/src/"
const wings = rules.wings.flat()
/** The wing of a file of the server; undefined for the wiring beside the wings. */
const wingOf = (path: string): string | undefined => wings.find((wing) => path.startsWith(`${base}${wing}/`))
/** The module of a file: a folder of a wing, or a single file in it. */
const moduleOf = (path: string): string => path.slice(base.length).split("/").slice(0, 2).join("/")
const levelOf = (path: string): number => {
  const line = rules.wings.findIndex((wing) => wing.includes(wingOf(path) ?? ""))
  return line === -1 ? rules.wings.length : line
}
/** The files of the server that a file imports. */
const importedBy = ({ path, text }: Source): ReadonlyArray<string> =>
  importsOf(text)
    .filter(({ from }) => from.startsWith("."))
    .map(({ from }) => join(dirname(path), from))
    .filter((to) => to.startsWith(base))

/** The file that lists the modules of a wing. */
const listOf = (path: string): string => `${base}${wingOf(path)}/wing.ts`

/** Imports of a higher wing, of a wing on the same line, or of a file that is not an entry point. */
const forbiddenImports = (source: Source): ReadonlyArray<Fault> =>
  importedBy(source)
    .filter((to) => moduleOf(to) !== moduleOf(source.path))
    .flatMap((to) => {
      const inside = to.slice(base.length)
      const file = inside.split("/").slice(2).join("/").replace(/\.ts$/, "")
      const isEntryPoint = file === "" || (rules.entryPoints[moduleOf(to)] ?? []).includes(file)
      const isBelow = wingOf(to) === wingOf(source.path) || levelOf(to) < levelOf(source.path)
      return [
        ...(isBelow ? [] : [fault(source.path, `imports ${inside}, which is not below it`)]),
        ...(isEntryPoint ? [] : [fault(source.path, `imports ${inside}, which is not an entry point`)]),
        ...((file === "http" || to === listOf(to)) && wingOf(source.path) !== undefined
          ? [fault(source.path, `imports ${inside}`)]
          : []),
        ...(file === "module" && source.path !== listOf(to) ? [fault(source.path, `imports ${inside}`)] : [])
      ]
    })

/** The services and background work of modules that no wing lists, so that they are never built and never start. */
const unlisted = (files: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return [...texts].flatMap(([path, text]) => {
    const module = /([a-z-]+)\/module\.ts$/.exec(path)?.[1]
    if (module === undefined) return []
    const wing = texts.get(listOf(path)) ?? ""
    const name = new RegExp(`import \\* as (\\w+) from "\\./${module}/module\\.ts"`).exec(wing)?.[1]
    return [...text.matchAll(/^export const (layer|workers)\b/gm)]
      .filter(([, member]) => name === undefined || !new RegExp(`\\b${name}\\.${member}\\b`).test(wing))
      .map(([, member]) => `${path}: ${member}`)
  })
}

/** Groups of files that import each other in a circle. */
const circlesOf = (files: ReadonlyArray<Source>): ReadonlyArray<ReadonlyArray<string>> => {
  const imports = new Map(files.map((source) => [source.path, importedBy(source)]))
  const state = new Map<string, "open" | "done">()
  const circles: Array<ReadonlyArray<string>> = []
  const visit = (path: string, above: ReadonlyArray<string>): void => {
    if (state.get(path) === "done") return
    if (state.get(path) === "open") {
      circles.push(above.slice(above.indexOf(path)))
      return
    }
    state.set(path, "open")
    for (const next of imports.get(path) ?? []) visit(next, [...above, path])
    state.set(path, "done")
  }
  for (const path of imports.keys()) visit(path, [])
  return circles
}

/** Imports against the order `http.ts` → `service.ts` → `repo.ts` within a module. */
const reverseImports = ({ path, text }: Source): ReadonlyArray<Fault> => {
  const layers = ["repo.ts", "service.ts", "http.ts"]
  const layer = layers.indexOf(path.split("/").at(-1) ?? "")
  return layer === -1
    ? []
    : importsOf(text)
        .filter(({ from }) => from.startsWith("./") && layers.indexOf(from.slice(2)) >= layer)
        .map(({ from }) => fault(path, `imports ${from}`))
}

const unguarded = ({ path, text }: Source): ReadonlyArray<Fault> => {
  const { code } = partsOf(text)
  return rules.guarded.flatMap(({ allowed, pattern, what }) => {
    // Module names are strings, which are blank in the code, so they are searched in the text.
    const where = pattern.source.includes('"') ? text : code
    return isIn(path, allowed) || where.match(pattern) === null ? [] : [fault(path, what)]
  })
}

/** Imports of a whole Effect package, which would put all of it into a client's bundle. */
const barrels = ({ path, text }: Source): ReadonlyArray<Fault> =>
  importsOf(text)
    .filter(({ from, typeOnly }) => !typeOnly && /^effect(\/[a-z][\w-]*)?$/.test(from))
    .map(({ from }) => fault(path, `imports ${from} whole`))

const sample = (text: string, path = "packages/server/src/content/plugins/repo.ts"): Source => ({ path, text })
const tables = new Set(tenantTables)
const shared = server.filter(({ path }) => path === rules.sharedFragments).flatMap(statementsOf)

describe("packages", () => {
  it("import only allowed packages, and no relative path outside their own", () => {
    expect([...sources, ...generated].flatMap(forbiddenPackages)).toEqual([])
    expect(sources.flatMap(outOfPackage)).toEqual([])
  })
  it("are reported when they import anything else", () => {
    const client = "packages/client/src/page.ts"
    expect(forbiddenPackages(sample('import * as E from "effect/Effect"', client))).toHaveLength(1)
    expect(forbiddenPackages(sample('import { a } from "@orgplane/schema/api"', client))).toHaveLength(1)
    expect(
      forbiddenPackages(sample('const a = await import("@orgplane/server")', "packages/cli/src/a.ts"))
    ).toHaveLength(1)
    expect(forbiddenPackages(sample('export * from "@orgplane/client"'))).toHaveLength(1)
    expect(forbiddenPackages(sample('import "node:fs"', "packages/schema/src/a.ts"))).toHaveLength(1)
    expect(outOfPackage(sample('import { a } from "../../../../../schema/src/api.ts"'))).toHaveLength(1)
  })
  it("contain no files of the client or the CLI that import each other in a circle", () => {
    expect(circlesOf(sources.filter(({ path }) => /^packages\/(client|cli)\//.test(path)))).toEqual([])
  })
  it("import Effect module by module in schema and client", () => {
    const light = sources.filter(({ path }) => /^packages\/(schema|client)\//.test(path))
    expect(light.flatMap(barrels)).toEqual([])
    expect(barrels(sample('import { Effect } from "effect"'))).toHaveLength(1)
    expect(barrels(sample('import { HttpApi } from "effect/http-api"'))).toHaveLength(1)
    expect(barrels(sample('import * as HttpApi from "effect/http-api/HttpApi"'))).toEqual([])
  })
})

describe("the wings of the server", () => {
  it("import only from lower wings, through entry points", () => {
    expect(server.flatMap(forbiddenImports)).toEqual([])
  })
  it("contain no files that import each other in a circle", () => {
    expect(circlesOf(server)).toEqual([])
  })
  it("have modules in which http.ts imports service.ts and service.ts imports repo.ts, never the reverse", () => {
    expect(server.flatMap(reverseImports)).toEqual([])
  })
  it("list only modules and entry points that exist", () => {
    const paths = new Set(server.map(({ path }) => path))
    const missing = Object.entries(rules.entryPoints).flatMap(([name, files]) =>
      files.map((file) => `${base}${name}/${file}.ts`).filter((path) => !paths.has(path))
    )
    expect(missing).toEqual([])
  })
  it("list every module with services or background work", () => {
    expect(unlisted(server)).toEqual([])
    const module = sample("export const layer = a\nexport const workers = b", `${base}agents/memory/module.ts`)
    const wing = (text: string) =>
      sample(`import * as memory from "./memory/module.ts"\n${text}`, `${base}agents/wing.ts`)
    expect(unlisted([module, wing("memory.layer, memory.workers")])).toEqual([])
    expect(unlisted([module, wing("memory.layer")])).toEqual([`${module.path}: workers`])
    expect(unlisted([module])).toEqual([`${module.path}: layer`, `${module.path}: workers`])
  })
  it("report each import that breaks a rule", () => {
    const path = "packages/server/src/identity/teams/service.ts"
    const faultsOf = (text: string) => forbiddenImports(sample(text, path)).map(({ what }) => what)
    expect(faultsOf('import { a } from "../../content/plugins/repo.ts"')).toEqual([
      "imports content/plugins/repo.ts, which is not below it"
    ])
    expect(faultsOf('import { a } from "../../infra/sql/pglite-session.ts"')).toEqual([
      "imports infra/sql/pglite-session.ts, which is not an entry point"
    ])
    expect(faultsOf('import * as http from "../members/http.ts"')).toEqual(["imports identity/members/http.ts"])
    expect(faultsOf('import * as audit from "../audit/module.ts"')).toEqual(["imports identity/audit/module.ts"])
    expect(faultsOf('import * as infra from "../../infra/wing.ts"')).toEqual(["imports infra/wing.ts"])
    expect(
      forbiddenImports(
        sample('import { a } from "../../content/plugins/repo.ts"', "packages/server/src/enterprise/sso/repo.ts")
      )
    ).toHaveLength(1)
    expect(reverseImports(sample('import { PluginsService } from "./service.ts"'))).toHaveLength(1)
    const one = sample('import { a } from "./two.ts"', `${base}infra/sql/one.ts`)
    const two = sample('import { b } from "./one.ts"', `${base}infra/sql/two.ts`)
    expect(circlesOf([one, two])).toHaveLength(1)
  })
})

describe("the response", () => {
  const elsewhere = server.filter(({ path }) => !path.endsWith("/http.ts"))
  /** Whether a file sets the status or the headers of a response. */
  const mentions = ({ text }: Source) => rules.responseState.test(partsOf(text).code)

  it("gets its status and headers only from http.ts and the listed files", () => {
    const unlistedFiles = elsewhere.filter(
      (source) => mentions(source) && !isIn(source.path, rules.responseStateElsewhere)
    )
    expect(unlistedFiles.map(({ path }) => path)).toEqual([])
  })
  it.each([
    'caller.request.responseState.headers["etag"] = version',
    "const { address, responseState } = caller.request",
    "const response = yield* CurrentResponse",
    "return HttpServerResponse.text(page)"
  ])("is reported in a service that sets it: %s", (text) => {
    expect(mentions(sample(text))).toBe(true)
  })
  it("lists no file that does not set it", () => {
    const unused = Object.keys(rules.responseStateElsewhere).filter(
      (entry) =>
        !elsewhere.some(
          (source) => (entry.endsWith("/") ? source.path.startsWith(entry) : source.path === entry) && mentions(source)
        )
    )
    expect(unused).toEqual([])
  })
})

describe("access to the outside", () => {
  it("happens only in the listed files", () => {
    expect(sources.flatMap(unguarded)).toEqual([])
  })
  it.each([
    'import { connect } from "node:net"',
    'import * as https from "node:https"',
    'import {\n  request\n} from "http"',
    'export { connect } from "node:tls"',
    'const { connect } = await import("node:http2")',
    'const dns = require("dns/promises")',
    'const dgram = process.getBuiltinModule("node:dgram")',
    'import * as FetchHttpClient from "effect/http/FetchHttpClient"',
    'import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"',
    'import http from "isomorphic-git/http/node"',
    'import { createTransport } from "nodemailer"',
    'const { createTransport } = await import("nodemailer")',
    'import { spawn } from "node:child_process"',
    'const answer = await globalThis.fetch("https://example.com")',
    "const ask = fetch",
    'const socket = new WebSocket("wss://example.com")',
    'const events = new EventSource("https://example.com")',
    'import { randomBytes } from "node:crypto"',
    'const answer = await fetch("https://example.com")',
    "const now = Date.now()",
    "const now = new Date()",
    "const chance = Math.random()",
    'const home = process.env["HOME"]',
    'console.log("hello")'
  ])("is reported: %s", (text) => {
    expect(unguarded(sample(text))).toHaveLength(1)
  })
  it("is not reported for comments, strings, types and similar names", () => {
    expect(unguarded(sample('// Date.now()\nconst a = "fetch(" + new Date(0) + controlPlane.fetch(request)'))).toEqual(
      []
    )
    expect(unguarded(sample('import type { IncomingMessage } from "node:http"'))).toEqual([])
    const types = 'import * as Effect from "effect/Effect"\nimport type { IncomingMessage } from "node:http"'
    expect(unguarded(sample(types))).toEqual([])
  })
  it("lists no file that does not need it", () => {
    const unused = rules.guarded.flatMap(({ allowed, pattern, what }) =>
      Object.keys(allowed)
        .filter(
          (entry) =>
            !sources.some(
              ({ path, text }) => (entry.endsWith("/") ? path.startsWith(entry) : path === entry) && text.match(pattern)
            )
        )
        .map((entry) => `${what}: ${entry}`)
    )
    expect(unused).toEqual([])
  })
})

describe("SQL", () => {
  it("compares the organization in every statement on a tenant's table", () => {
    const faults = server.flatMap((source) =>
      withoutOrganization(source, tables, shared).filter(
        ({ what }) => crossTenantStatements[`${source.path} ${what.split(" ")[0]}`] === undefined
      )
    )
    expect(faults).toEqual([])
    expect(server.flatMap(statementsOf).length).toBeGreaterThan(100)
  })
  it("is reported when one comparison of organizations is removed from any statement", () => {
    const names = new RegExp(`\\b(${tenantTables.join("|")})\\b`)
    const missed: Array<string> = []
    let tried = 0
    const excepted = (path: string, text: string) =>
      Object.keys(crossTenantStatements).some((entry) => {
        const [place, table = ""] = entry.split(" ")
        return place === path && new RegExp(`\\b${table}\\b`).test(text)
      })
    for (const source of server) {
      const before = withoutOrganization(source, tables, shared).length
      for (const { line, text } of statementsOf(source).filter((template) => names.test(template.text))) {
        for (const match of text.matchAll(/organization_id\s*=/g)) {
          const without = `${text.slice(0, match.index)}elsewhere =${text.slice(match.index + match[0].length)}`
          tried += 1
          const mutated = { ...source, text: source.text.replace(text, () => without) }
          if (withoutOrganization(mutated, tables, shared).length <= before && !excepted(source.path, text))
            missed.push(`${source.path}:${line}`)
        }
      }
    }
    expect(missed).toEqual([])
    expect(tried).toBeGreaterThan(100)
    // Every statement is checked again for each of its comparisons.
  }, 300_000)
  it("has no unused exceptions", () => {
    const needed = server.flatMap((source) =>
      withoutOrganization(source, tables, shared).map(({ what }) => `${source.path} ${what.split(" ")[0]}`)
    )
    expect(Object.keys(crossTenantStatements).filter((exception) => !needed.includes(exception))).toEqual([])
  })
  it("names its columns and has no placeholder inside quotes", () => {
    expect(server.filter(({ path }) => rules.allowedStars[path] === undefined).flatMap(loose)).toEqual([])
  })
  it("is only in repositories and in the listed files", () => {
    const elsewhere = server
      .filter(({ path }) => !/(^|[/-])repo\.ts$/.test(path) && !path.startsWith(`${base}infra/sql/`))
      .filter((source) => statementsOf(source).length > 0 && !isIn(source.path, rules.sqlElsewhere))
    // A fragment such as `sql`i.id`` names a column for another module's fragment.
    expect(elsewhere.map(({ path }) => path)).toEqual([])
  })

  const faultsOf = (text: string) => withoutOrganization(sample(text), tables).map(({ what }) => what)
  it.each([
    ["a read", "sql`SELECT id FROM plugins WHERE id = ${id}`"],
    [
      "a read with a row type",
      "sql<{ readonly a: ReadonlyArray<string> }>`SELECT id FROM plugins p WHERE p.id = ${id}`"
    ],
    ["an update", "sql`UPDATE plugins SET name = ${name} WHERE id = ${id} RETURNING organization_id`"],
    ["a deletion", "sql`DELETE FROM grants g WHERE g.id = ${id}`"],
    ["an insert", "sql`INSERT INTO plugins (id, name) VALUES (${id}, ${name})`"],
    [
      "a join to another organization's table",
      "sql`SELECT p.id FROM plugins p JOIN grants g ON g.object_id = p.id WHERE p.organization_id = ${organizationId}`"
    ],
    [
      "two tables of one organization that is not given",
      "sql`SELECT p.id FROM plugins p JOIN grants g ON g.organization_id = p.organization_id`"
    ],
    [
      "a join to the organizations table, which is no filter",
      "sql`SELECT c.id FROM claims c JOIN organizations o ON o.id = c.organization_id`"
    ],
    ["a nested statement", "sql`SELECT 1 WHERE ${x ? sql`EXISTS (SELECT 1 FROM teams WHERE id = ${id})` : sql`TRUE`}`"]
  ])("is reported: %s without an organization", (_, text) => {
    expect(faultsOf(text).length).toBeGreaterThan(0)
  })
  it.each([
    "sql`SELECT id FROM plugins WHERE organization_id = ${organizationId}`",
    "sql`SELECT p.id FROM plugins p JOIN grants g ON g.organization_id = p.organization_id WHERE p.organization_id = ${o}`",
    "sql`INSERT INTO plugins AS p (organization_id, id) VALUES (${organizationId}, ${id})`",
    "const live = (sql: Sql, o: string) => sql`g.organization_id = ${o}`\nconst a = (sql: Sql) => sql`SELECT g.id FROM grants g WHERE ${live(sql, o)}`",
    "sql`SELECT id FROM users WHERE id = ${id}`",
    "const text = `SELECT id FROM plugins`"
  ])("is accepted: %s", (text) => {
    expect(faultsOf(text)).toEqual([])
  })
  it.each([
    "sql`SELECT * FROM users`",
    "sql`UPDATE users SET a = 1 RETURNING *`",
    "sql`SELECT u.* FROM users u`",
    "sql`SELECT 1 WHERE a = '${b}'`"
  ])("is reported: %s", (text) => {
    expect(loose(sample(text))).toHaveLength(1)
  })
})

describe("source files", () => {
  it("contain no unfinished marks and no cast to any", () => {
    const faulty = everything.filter(
      ({ text }) => rules.bannedWords.test(text) || rules.bannedCode.test(partsOf(text).code)
    )
    expect(faulty.map(({ path }) => path)).toEqual([])
    expect(rules.bannedWords.test(["// TO", "DO later"].join(""))).toBe(true)
    expect(rules.bannedCode.test("const a = b as any")).toBe(true)
  })
  it("declare optional fields with optionalKey, because optional would accept and return null", () => {
    const schema = sources.filter(({ path }) => path.startsWith("packages/schema/"))
    expect(schema.filter(({ text }) => /Schema\.optional\(/.test(text)).map(({ path }) => path)).toEqual([])
  })
  it("have kebab-case names that are not catch-alls", () => {
    expect(sources.map(({ path }) => path).filter((path) => rules.bannedFiles.test(path))).toEqual([])
    expect(rules.bannedFiles.test("packages/server/src/infra/http/utils.ts")).toBe(true)
    expect(everything.map(({ path }) => path).filter((path) => !/^[a-z0-9./_-]+$/.test(path))).toEqual([])
  })
  it("have at most 500 lines, and tests 800", () => {
    const long = everything
      .filter(({ path, text }) => {
        const most = path.endsWith(".test.ts") ? rules.linesMax.test : rules.linesMax.source
        return text.split("\n").length - 1 > most
      })
      .map(({ path }) => path)
    expect(long.filter((path) => rules.longFiles[path] === undefined)).toEqual([])
    expect(Object.keys(rules.longFiles).filter((path) => !long.includes(path))).toEqual([])
  })
})

/** Services that are not named after their file, and repository reads whose name does not say whether they check visibility. */
const misnamed = ({ path, text }: Source): ReadonlyArray<Fault> => {
  if (path.startsWith(`${base}infra/`)) return []
  const isServiceFile = /(^|[/-])service\.ts$/.test(path)
  const services = [...text.matchAll(/class (\w+) extends Context\.Service\b/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name.endsWith("Service") !== isServiceFile)
  if (!/(^|[/-])repo\.ts$/.test(path)) return services.map((name) => fault(path, name))
  return [...text.matchAll(/export const ((get|find)(?![a-z])\w*) = [^(]*(?:\(function\* )?\(([^)]*)/g)]
    .filter(([, , verb, parameters = ""]) => /\bcaller: Member\b/.test(parameters) !== (verb === "get"))
    .map(([, name = ""]) => fault(path, name))
}

describe("names", () => {
  it("tell which file a service is in, and which repository reads check what the caller can see", () => {
    expect(server.flatMap(misnamed).filter(({ what }) => rules.otherNames[what] === undefined)).toEqual([])
    expect(
      Object.keys(rules.otherNames).filter((name) => !server.flatMap(misnamed).some(({ what }) => what === name))
    ).toEqual([])
  })
  it.each([
    [
      "a service in another file",
      `${base}identity/teams/teams.ts`,
      "class TeamsService extends Context.Service<TeamsService>() {}"
    ],
    [
      "another name in a service file",
      `${base}identity/teams/service.ts`,
      "class Teams extends Context.Service<Teams>() {}"
    ],
    ["get without a caller", `${base}identity/teams/repo.ts`, "export const get = (sql: Sql, id: string) => 1"],
    ["find with a caller", `${base}identity/teams/repo.ts`, "export const findTeam = (sql: Sql, caller: Member) => 1"]
  ])("are reported when they do not: %s", (_, path, text) => {
    expect(misnamed({ path, text })).toHaveLength(1)
  })
})

describe("the documentation", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const packageFiles = ["package.json", "examples/package.json", "bench/package.json", "site/package.json"].concat(
    ["schema", "client", "cli", "console", "server"].map((name) => `packages/${name}/package.json`)
  )

  it("lists every environment variable in the configuration page", () => {
    const page = read("docs/configuration.md")
    for (const name of Object.keys(variables)) expect(page).toContain(`\`${name}\``)
  })
  it("lists every dependency of every package", () => {
    const page = read("docs/dependencies.md")
    const names = new Set(
      packageFiles.flatMap((path) => {
        const manifest = JSON.parse(read(path)) as Record<string, Record<string, string> | undefined>
        return ["dependencies", "devDependencies", "peerDependencies"].flatMap((kind) =>
          Object.keys(manifest[kind] ?? {})
        )
      })
    )
    expect([...names].filter((name) => !name.startsWith("@orgplane/") && !page.includes(`| \`${name}\` |`))).toEqual([])
  })
  it("lists the modules of every wing in the architecture page", () => {
    const page = read("docs/architecture.md")
    const missing = [
      ...new Set(
        server
          .map(({ path }) => path)
          .filter((path) => wingOf(path) !== undefined)
          .map(moduleOf)
      )
    ]
      .map((name) => name.split("/")[1] ?? "")
      .filter((name) => !page.includes(`\`${name}\``))
    expect(missing).toEqual([])
  })
  it("has an index with the areas of the API reference and a link to every page", () => {
    const index = read("docs/README.md")
    expect(sections.map(({ title }) => title).filter((title) => !index.includes(`## ${title}\n`))).toEqual([])
    const pages = readdirSync(join(root, "docs")).filter((name) => !["README.md", "images"].includes(name))
    expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([])
  })
  it("has no broken links to files", () => {
    const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
    const broken = [
      "README.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      "bench/README.md",
      "bench/RESULTS.md",
      ...pages.map((name) => `docs/${name}`)
    ].flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)]
        .map((match) => join(root, dirname(path), match[1] ?? ""))
        .filter((target) => {
          try {
            readFileSync(target)
            return false
          } catch (error) {
            return (error as NodeJS.ErrnoException).code !== "EISDIR"
          }
        })
        .map((target) => `${path}: ${target}`)
    )
    expect(broken).toEqual([])
  })
})
