/** What people and scripts do every day, with the CLI and a server as processes. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { cliProgram } from "../../../test/programs.ts"
import { wordsOf } from "../src/config-file.ts"
import { startPlane } from "./plane.ts"

let plane: Awaited<ReturnType<typeof startPlane>>
let token = ""
const pluginIds: Array<string> = []

beforeAll(async () => {
  plane = await startPlane()
  const { child, ended } = plane.start("ada", ["login", "--email", "ada@acme.example"])
  const code = await vi.waitFor(
    () => {
      const match = /code=([A-Z2-9]{8})/u.exec(plane.emails()[0]?.text ?? "")
      if (match?.[1] === undefined) throw new Error("No code was sent yet.")
      return match[1]
    },
    { timeout: 20_000 }
  )
  child.stdin.end(`${code}\n`)
  expect((await ended).code).toBe(0)
  expect((await orgplane("organizations", "create", "--name", "Acme")).code).toBe(0)
  token = JSON.parse(readFileSync(join(plane.home, "ada", "orgplane", "profiles.json"), "utf8")).profiles.default.token
  for (const name of ["Code review", "Release notes", "Twin", "Twin"]) {
    pluginIds.push((await orgplane("plugins", "create", "--name", name, "-q")).out.trim())
  }
})
afterAll(() => plane.stop())

const orgplane = (...args: ReadonlyArray<string>) => plane.run("ada", args)
const [review, notes] = [() => pluginIds[0] ?? "", () => pluginIds[1] ?? ""]

describe("selected output", () => {
  it("has only the fields of --json, nested by their paths", async () => {
    const list = await orgplane("plugins", "list", "--search", "review", "--json", "id,name")
    expect([list.code, JSON.parse(list.out)]).toEqual([0, [{ id: review(), name: "Code review" }]])
    const one = await orgplane("auth", "status", "--json", "organization,role,credential")
    expect(JSON.parse(one.out)).toEqual({ organization: "Acme", role: "owner", credential: "session" })
  })

  it("is selected from lists of this machine and from the results of lines, too", async () => {
    expect((await orgplane("profiles", "list", "--json", "name,current")).out).toBe(
      '[{"name":"default","current":true}]\n'
    )
    const invited = await orgplane("members", "invite", "bob@acme.example", "eve@acme.example", "--jq", ".[].ok")
    expect(invited).toMatchObject({ code: 0, out: "true\ntrue\n", err: "" })
  })

  it("is refused with the names of the fields if one is unknown", async () => {
    const { code, err, out } = await orgplane("plugins", "list", "--json", "nmae")
    expect([code, out]).toEqual([2, ""])
    expect(err).toMatch(/^orgplane: Unknown field: nmae\. Fields: id, organizationId, name, /u)
    expect((await orgplane("plugins", "list", "--json", " , ")).err).toContain("--json requires the names of fields")
  })

  it("is filtered by jq, with texts without quotes", async () => {
    const names = await orgplane("plugins", "list", "--jq", "map(.name) | sort | .[]")
    expect(names).toMatchObject({ code: 0, out: "Code review\nRelease notes\nTwin\nTwin\n", err: "" })
    const object = await orgplane("plugins", "get", review(), "--json", "name", "--jq", "{n: .name}")
    expect(object.out).toBe('{"n":"Code review"}\n')
    const wrong = await orgplane("plugins", "list", "--jq", ".[] | nope")
    expect([wrong.code, wrong.out]).toEqual([2, ""])
    expect(wrong.err).toContain("--jq: nope/0 is not defined")
  })

  it("is formatted by a template", async () => {
    const template =
      '{{range .}}{{.name}} {{if .archivedAt}}archived{{else}}live{{end}} {{timeago .createdAt}}{{"\\n"}}{{end}}'
    const { out } = await orgplane("plugins", "list", "--search", "notes", "--template", template)
    expect(out).toBe("Release notes live just now\n")
    for (const [wrong, problem] of [
      ["{{range .}}", "has no {{end}}"],
      ["{{.name", "no closing braces"],
      ["{{name}}", "Fields start with a dot"],
      ["{{end}}", "outside a block"],
      ["{{nope .name}}", "is not a function"]
    ] as const) {
      const { code, err } = await orgplane("plugins", "list", "--template", wrong)
      expect([wrong, code, err]).toEqual([wrong, 2, expect.stringContaining(problem)])
    }
    const both = await orgplane("plugins", "list", "--template", "a", "--jq", ".")
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("--jq cannot be combined with --template.")])
  })
})

describe("auth status", () => {
  it("shows the server, the credential and its source, the organization and the role", async () => {
    const { code, out } = await orgplane("whoami", "-o", "json")
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { server: plane.baseUrl, source: "profile default", credential: "session", organization: "Acme", role: "owner" }
    ])
    expect(out).not.toContain(token)
    const key = JSON.parse(
      (await orgplane("api-keys", "create", "--name", "CI", "--permission", "plugins:read", "-o", "json")).out
    ).key
    const byKey = await plane.run("nobody", ["auth", "status", "-o", "json"], "", { ORGPLANE_API_KEY: key })
    expect(JSON.parse(byKey.out)).toMatchObject({ source: "ORGPLANE_API_KEY", credential: "api_key", name: "CI" })
  })

  it("distinguishes a missing credential from one that the server does not accept", async () => {
    const none = await plane.run("nobody", ["auth", "status"])
    expect([none.code, none.err]).toEqual([4, expect.stringContaining(`No credential for ${plane.baseUrl}.`)])
    const wrong = await plane.run("nobody", ["whoami"], "", { ORGPLANE_TOKEN: "ops_wrong" })
    expect(wrong.code).toBe(4)
    expect(wrong.err).toContain("does not accept the credential from ORGPLANE_TOKEN")
  })
})

describe("names instead of ids", () => {
  it("find objects by name and members by email address, regardless of case", async () => {
    expect((await orgplane("plugins", "get", "release NOTES", "-q")).out).toBe(`${notes()}\n`)
    await orgplane("teams", "create", "--name", "Platform")
    const granted = await orgplane(
      "plugins",
      "grant-access",
      "Code review",
      "--team-id",
      "platform",
      "--role",
      "viewer"
    )
    expect([granted.code, granted.err]).toEqual([0, ""])
    const explained = await orgplane("access", "explain", review(), "--member", "Ada@acme.example", "-o", "json")
    expect([explained.code, explained.err]).toEqual([0, ""])
    const grant = ["plugins", "grant-access", notes(), "--role", "viewer"]
    for (const flag of ["--member", "--org-membership-id"]) {
      expect(await orgplane(...grant, flag, "ada@acme.example")).toMatchObject({ code: 0, err: "" })
    }
  })

  it("can look like an id of another kind", async () => {
    const { out } = await orgplane("plugins", "create", "--name", "ci_tools", "-q")
    expect((await orgplane("plugins", "get", "ci_tools", "-q")).out).toBe(out)
    await orgplane("plugins", "archive", "ci_tools", "--yes")
  })

  it("are refused if no object or several have the name", async () => {
    const absent = await orgplane("plugins", "get", "Nothing")
    expect([absent.code, absent.err]).toEqual([
      3,
      "orgplane: No plugin is named 'Nothing'. Run 'orgplane plugins list'.\n"
    ])
    const twins = await orgplane("plugins", "get", "Twin")
    expect([twins.code, twins.err]).toEqual([
      2,
      expect.stringMatching(/^orgplane: The plugin name 'Twin' is ambiguous: 2 objects have it\. Use an ID:/u)
    ])
    for (const id of pluginIds.slice(2)) expect(twins.err).toContain(id)
  })

  it("are not looked up if they have the prefix of an id", async () => {
    const { code, err } = await orgplane("plugins", "get", "plg_nothing", "--debug")
    expect([code, err.split("\n").filter((line) => line.includes("GET"))]).toEqual([
      1,
      [expect.stringContaining("GET /v1/plugins/plg_nothing 400")]
    ])
  })
})

describe("settings and aliases", () => {
  it("change the defaults, below flags", async () => {
    expect((await orgplane("config", "get", "output")).code).toBe(3)
    expect(await orgplane("config", "set", "output", "json")).toMatchObject({ code: 0, out: "", err: "" })
    expect(JSON.parse((await orgplane("plugins", "get", review())).out).item.id).toBe(review())
    expect((await orgplane("plugins", "get", review(), "-o", "ndjson")).out).toMatch(/^\{"id":/u)
    expect((await orgplane("config", "list", "-o", "json")).out).toContain('"value":"json"')
    expect((await orgplane("config", "unset", "output")).code).toBe(0)
    expect((await orgplane("config", "set", "output", "xml")).err).toContain("output must be one of: table, json, yaml")
    expect((await orgplane("config", "set", "theme", "1")).err).toContain(
      "Unknown setting 'theme'. Settings: output, pager."
    )
  })

  it("run a command by a short name, with arguments in their places", async () => {
    expect((await orgplane("alias", "set", "named", "plugins list --search $1 --json name")).code).toBe(0)
    expect((await orgplane("named", "review")).out).toBe('[{"name":"Code review"}]\n')
    expect((await orgplane("named", "review", "--jq", ".[0].name")).out).toBe("Code review\n")
    expect((await orgplane("named")).err).toContain("requires at least 1 arguments")
    expect((await orgplane("alias", "list")).out).toBe("named\tplugins list --search $1 --json name\n")
    expect((await orgplane("alias", "set", "plugins", "teams list")).err).toContain("'plugins' is a command")
    expect((await orgplane("alias", "set", "x", "rm -rf")).err).toContain("'rm' is not a command")
    expect((await orgplane("alias", "remove", "named")).code).toBe(0)
    expect((await orgplane("named", "review")).code).toBe(2)
  })

  it("has the usual forms of help, version, list and remove", async () => {
    const help = await orgplane("help", "plugins", "list")
    expect([help.code, help.out]).toEqual([0, (await orgplane("plugins", "list", "--help")).out])
    expect((await orgplane("version")).out).toBe((await orgplane("--version")).out)
    expect((await orgplane("plugins", "ls", "-q")).out).toBe((await orgplane("plugins", "list", "-q")).out)
    expect((await orgplane("connectors", "ls")).code).toBe(0)
    const team = (await orgplane("teams", "create", "--name", "Short-lived", "-q")).out.trim()
    expect((await orgplane("teams", "rm", team, "--yes")).code).toBe(0)
  })
})

describe("completion in bash", () => {
  const complete = (...words: ReadonlyArray<string>) => {
    const bin = join(plane.home, "bin")
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, "orgplane"), `#!/bin/sh\nexec ${process.execPath} ${cliProgram} "$@"\n`)
    chmodSync(join(bin, "orgplane"), 0o755)
    const line = ["orgplane", ...words].map((word) => `'${word}'`).join(" ")
    const script = `source <(orgplane completions bash)
      COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _orgplane; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { status, stderr, stdout } = spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      env: {
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        HOME: plane.home,
        XDG_CONFIG_HOME: join(plane.home, "ada"),
        ORGPLANE_BASE_URL: plane.baseUrl
      }
    })
    expect([status, stderr]).toEqual([0, ""])
    return stdout.trim().split("\n")
  }

  it("completes commands, flags and the values of flags", () => {
    expect(complete("plug")).toEqual(["plugins"])
    expect(complete("plugins", "grant")).toEqual(["grant-access"])
    expect(complete("plugins", "list", "--arch")).toEqual(["--archived"])
    expect(complete("plugins", "grant-access", "plg_1", "--role", "")).toEqual(["viewer", "editor", "manager"])
    expect(complete("plugins", "list", "-o", "")).toEqual(["table", "json", "yaml", "ndjson"])
    expect(complete("profiles", "use", "")).toEqual(["default"])
  })

  it("completes the ids of objects on the server, and nothing without a credential", () => {
    expect(complete("plugins", "get", "").toSorted()).toEqual(pluginIds.toSorted())
    expect(complete("plugins", "revoke-access", review(), "")).toHaveLength(2)
    expect(complete("roles", "get", "rol_")).toEqual([""])
    expect(complete("--profile", "absent", "plugins", "get", "x")).toEqual([""])
  })
})

describe("the list of gh and orgplane in the guide", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "cli.md"), "utf8")
  const rows = [...page.matchAll(/^\| .+? \| `gh .+?` \| `orgplane (.+?)` \|$/gmu)].map(([, command]) => command ?? "")

  it("has ten tasks or more", () => expect(rows.length).toBeGreaterThanOrEqual(10))

  it.each(rows)("has a command that runs: %s", async (command) => {
    const words = wordsOf(command.replaceAll(String.raw`\|`, "|"))
    const { code, err } = await orgplane(...words)
    expect([code, err]).toEqual([0, expect.not.stringContaining("orgplane:")])
  })
})

it.each([
  [["foo"], undefined],
  [["plugins", "lst"], "list, ls"],
  [["plugins", "list", "--serch", "x"], "--search"],
  [["plugins", "create", "--title", "x"], undefined],
  [["conectors", "list"], "connectors"],
  [["plugins", "delete"], undefined]
] as const)("suggests only a word that %j can be a typo of", async (args, suggestion) => {
  const { code, err } = await orgplane(...args)
  expect([code, /Did you mean: (.*)/u.exec(err)?.[1]]).toEqual([2, suggestion])
})
