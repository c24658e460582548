/** What people and scripts do every day, with the CLI and a server as processes. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { cliProgram } from "../../../test/programs.ts"
import { wordsOf } from "../src/config-file.ts"
import { responseFields } from "../src/generated/response-fields.ts"
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
    { timeout: 60_000 }
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

  it.each([
    ["plugins.list", ["plugins", "list"]],
    ["plugins.get", ["plugins", "get", "Code review"]],
    ["roles.permissions", ["roles", "permissions"]],
    ["users.get", ["users", "get"]],
    ["audit.list", ["audit", "tail", "--limit", "1"]]
  ])("can have every field that completion offers for %s", async (id, words) => {
    const fields = responseFields[id] ?? []
    const { code, err, out } = await orgplane(
      ...words,
      "--json",
      fields.join(","),
      "--jq",
      'if type == "array" then .[0] else . end | keys_unsorted'
    )
    expect([code, err, JSON.parse(out)]).toEqual([0, "", fields])
    // And there is no other.
    const wrong = await orgplane(...words, "--json", "nope")
    expect(wrong.err).toContain(`Fields: ${fields.join(", ")}.`)
  })

  it.each([
    [["teams", "list", "--json"], /separated by commas:\n {2}id\n {2}organizationId\n {2}name\n/u],
    [["teams", "list", "--json", "--jq", "."], /separated by commas:\n {2}id\n/u],
    [["--json", "--no-pager", "teams", "list"], /separated by commas:\n {2}id\n/u],
    [["auth", "status", "--json"], /separated by commas:\n {2}server\n {2}source\n/u],
    [["teams", "remove", "tem_1", "--json"], /such as --json id,name\.$/mu]
  ])("lists the fields if --json has none: %j", async (words, message) => {
    const { code, err, out } = await orgplane(...words)
    expect([code, out, err]).toEqual([2, "", expect.stringMatching(message)])
  })

  it("names the fields of commands that do not print a response", async () => {
    await orgplane("alias", "set", "fields", "plugins list")
    for (const words of [
      ["auth", "status"],
      ["profiles", "list"],
      ["config", "list"],
      ["alias", "list"],
      ["version"]
    ]) {
      const listed = (await orgplane(...words, "--json")).err.split("\n").slice(1, -1)
      const { out } = await orgplane(...words, "--jq", 'if type == "array" then .[0] else . end | keys_unsorted')
      expect([words, listed.map((line) => line.trim())]).toEqual([words, JSON.parse(out)])
    }
    await orgplane("alias", "remove", "fields")
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

  it("find archived objects to restore, and no others", async () => {
    const release = (await orgplane("plugins", "create", "--name", "Release train", "-q")).out
    await orgplane("plugins", "archive", "Release train", "--yes")
    // An active object of the same name is not restored.
    await orgplane("plugins", "create", "--name", "Release train")
    expect(await orgplane("plugins", "restore", "Release train", "-q")).toMatchObject({
      code: 0,
      out: release,
      err: ""
    })
    expect((await orgplane("plugins", "restore", "Release train")).err).toBe(
      "orgplane: No archived plugin is named 'Release train'. Run 'orgplane plugins list --archived'.\n"
    )
    for (const id of (await orgplane("plugins", "list", "--search", "Release train", "-q")).out.trim().split("\n"))
      await orgplane("plugins", "archive", id, "--yes")
  })

  it("find workers by name, and pending invitations by email address", async () => {
    const worker = await orgplane(
      "workers",
      "create",
      "--name",
      "Laptop",
      "--destination",
      "local",
      "--json",
      "worker.id"
    )
    const { id } = JSON.parse(worker.out).worker
    expect(await orgplane("workers", "get", "laptop", "-q")).toMatchObject({ code: 0, out: `${id}\n`, err: "" })
    await orgplane("members", "invite", "fay@acme.example")
    expect(await orgplane("invitations", "cancel", "Fay@acme.example", "--yes")).toMatchObject({ code: 0, err: "" })
    const again = await orgplane("invitations", "cancel", "fay@acme.example", "--yes")
    expect([again.code, again.err]).toEqual([
      3,
      "orgplane: No pending invitation has the email address 'fay@acme.example'. Run 'orgplane invitations list --status pending'.\n"
    ])
  })

  it("find the object of an explanation among all kinds", async () => {
    const explained = await orgplane("access", "explain", "release notes", "--json", "allowed")
    expect(explained).toMatchObject({ code: 0, out: '{"allowed":true}\n', err: "" })
    await orgplane("marketplaces", "create", "--name", "Release notes")
    const both = await orgplane("access", "explain", "Release notes")
    expect([both.code, both.err]).toEqual([
      2,
      expect.stringContaining("The object name 'Release notes' is ambiguous: 2 objects have it. Use an ID:")
    ])
    expect(both.err).toContain(notes())
    expect(both.err).toContain("mkt_")
    const absent = await orgplane("access", "explain", "Nothing")
    expect([absent.code, absent.err]).toEqual([
      3,
      expect.stringContaining("No object is named 'Nothing'. Use the ID. Searched: ")
    ])
  })

  it("filter the audit log by member, and are rejected by filters that take only IDs", async () => {
    const byMember = ["--member", "ada@acme.example", "--action", "plugin.create"]
    const listed = await orgplane("audit", "list", ...byMember, "--json", "targetId", "--jq", ".[].targetId")
    expect(listed.out.split("\n")).toContain(notes())
    const exported = await orgplane("audit", "export", ...byMember)
    expect([exported.code, exported.out]).toEqual([0, expect.stringContaining(notes())])
    const tailed = await orgplane("audit", "tail", ...byMember, "--limit", "100")
    expect([tailed.code, tailed.out]).toEqual([0, expect.stringContaining(notes())])
    expect(await orgplane("audit", "list", "--member", "nobody@acme.example")).toMatchObject({ code: 3, out: "" })
    for (const command of ["list", "export", "tail"]) {
      const actor = await orgplane("audit", command, "--actor-id", "Ada")
      expect([command, actor.code, actor.out, actor.err]).toEqual([
        command,
        2,
        "",
        "orgplane: --actor-id must be an ID, got 'Ada'. For a member, use --member with the email address.\n"
      ])
      const target = await orgplane("audit", command, "--target-id", "Release notes")
      expect([target.code, target.err]).toEqual([2, expect.stringContaining("--target-id must be an ID")])
    }
  })

  it("are found for each line of a file and each of several invitations", async () => {
    const role = await orgplane("roles", "create", "--name", "Reader", "--permission", "plugins:read", "-q")
    await orgplane("teams", "create", "--name", "Invited")
    const invited = await orgplane(
      ...["members", "invite", "gil@acme.example", "hal@acme.example", "--role", "reader", "--team-id", "Invited"],
      ...["--json", "role"]
    )
    expect([invited.code, JSON.parse(invited.out)]).toEqual([0, [{ role: role.out.trim() }, { role: role.out.trim() }]])
    const lines = "ada@acme.example,setRole,owner\nnobody@acme.example,remove\n"
    const batch = await plane.run("ada", ["members", "batch", "--file", "-", "--json", "line,ok,error.message"], lines)
    expect([batch.code, JSON.parse(batch.out)]).toEqual([
      1,
      [
        { line: 2, ok: false, error: { message: expect.stringContaining("No member has the email address") } },
        { line: 1, ok: true, error: { message: null } }
      ]
    ])
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

  it("has help for known commands and aliases only", async () => {
    for (const [words, message] of [
      [["help", "nope"], 'Unknown subcommand "nope" for "orgplane"'],
      [["nope", "--help"], 'Unknown subcommand "nope" for "orgplane"'],
      [["help", "plugins", "lst"], 'Unknown subcommand "lst" for "orgplane plugins". Did you mean: list, ls'],
      [["plugins", "nope", "-h"], 'Unknown subcommand "nope" for "orgplane plugins"']
    ] as const) {
      const { code, err, out } = await orgplane(...words)
      expect([words, code, out, err.split("\n")[0]]).toEqual([words, 2, "", `orgplane: ${message}`])
    }
    const root = (await orgplane("--help")).out
    for (const words of [
      ["help", "help"],
      ["help", "--help"],
      ["help", "-h"]
    ])
      expect((await orgplane(...words)).out).toBe(root)
    expect(root).toContain("Print the version")
    expect((await orgplane("help", "plugins", "ls")).out).toBe((await orgplane("plugins", "list", "--help")).out)
    await orgplane("alias", "set", "pg", "plugins get $1")
    expect((await orgplane("help", "pg")).out).toBe("'orgplane pg' runs 'orgplane plugins get $1'.\n")
    await orgplane("alias", "remove", "pg")
  })

  it("prints the version in each format", async () => {
    const [, version = ""] = /^orgplane (\S+)\n$/u.exec((await orgplane("version")).out) ?? []
    expect(version).not.toBe("")
    expect((await orgplane("version", "-o", "json")).out).toBe(`{"version":"${version}"}\n`)
    expect((await orgplane("version", "--json", "version")).out).toBe(`{"version":"${version}"}\n`)
    expect((await orgplane("version", "--jq", ".version")).out).toBe(`${version}\n`)
    expect((await orgplane("version", "-q")).out).toBe(`${version}\n`)
    const wrong = await orgplane("version", "--json", "x")
    expect([wrong.code, wrong.err]).toEqual([2, "orgplane: Unknown field: x. Fields: version.\n"])
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
    expect(complete("roles", "get", "rol_")).toEqual([expect.stringMatching(/^rol_\w{26}$/u)])
    expect(complete("templates", "get", "tpl_")).toEqual([""])
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
