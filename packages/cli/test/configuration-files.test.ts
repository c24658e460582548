/** Reading, merging and formatting configuration files, without a server. */
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Faults } from "@orgplane/schema/shared/configuration-files/faults"
import { Budget, parseSource } from "@orgplane/schema/shared/configuration-files/source"
import { escapeVariables, withVariables } from "@orgplane/schema/shared/configuration-files/variables"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { exportedYaml } from "../src/configuration/export-text.ts"
import { formatted } from "../src/configuration/format.ts"
import { loadDocument } from "../src/configuration/load.ts"
import { yamlLibrary } from "../src/configuration/yaml-library.ts"
import { describeFailure, renderFailure } from "../src/failure.ts"
import { folder, ioOf, ran } from "./harness.ts"

/** Writes files into a new directory. */
const files = async (contents: Readonly<Record<string, string | Uint8Array>>): Promise<string> => {
  const directory = await folder()
  for (const [name, text] of Object.entries(contents)) {
    await mkdir(join(directory, name, ".."), { recursive: true })
    await writeFile(join(directory, name), text)
  }
  return directory
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly variables?: ReadonlyArray<string>
}

const load = (names: ReadonlyArray<string>, { env = {}, variables = [] }: Options = {}) =>
  loadDocument(ioOf({ env }), { files: names, variables, sendsSecrets: true })

/** The error message for a directory of files. `$` is the directory. */
const failure = async (contents: Parameters<typeof files>[0], options?: Options): Promise<string> => {
  const directory = await files(contents)
  return failureOf(directory, load([directory], options))
}

const failureOf = (directory: string, loading: Promise<unknown>): Promise<string> =>
  loading.then(
    () => "no failure",
    (error: unknown) => renderFailure(describeFailure(error), false).replaceAll(directory, "$")
  )

describe("the files of a configuration", () => {
  it("are merged by kind, with directories in the order of their names", async () => {
    const directory = await files({
      "b.yaml": "version: 1\nteams: [{key: b}]\nprune: {teams: true}\n",
      "a/z.yml": "version: 1\nteams: [{key: a}]\norganization: {name: Acme}\n",
      "c.JSON": '\uFEFF{\n\t"version": 1,\n\t"$schema": "x",\n\t"prune": { "roles": false }\n}\n',
      ".hidden/d.yaml": "nonsense",
      "notes.txt": "nonsense"
    })
    const { document, locationOf } = await load([directory, join(directory, "b.yaml")])
    expect(document).toEqual({
      version: 1,
      $schema: "x",
      teams: [{ key: "a" }, { key: "b" }],
      prune: { teams: true, roles: false },
      organization: { name: "Acme" }
    })
    const shown = (path: ReadonlyArray<unknown>) => locationOf(path)?.replace(directory, "$")
    expect(shown(["teams", 1, "key"])).toBe("$/b.yaml:2:10")
    expect(shown(["teams", 0])).toBe("$/a/z.yml:2:9")
    expect(shown(["prune", "roles"])).toBe("$/c.JSON:4:13")
    expect(shown(["organization", "name", "x"])).toBe("$/a/z.yml:3:16")
    expect(shown(["teams"])).toBe("$/a/z.yml:2:1")
    expect([shown([]), shown(["absent"])]).toEqual([undefined, undefined])
  })

  it("cannot use a key twice for one kind, and the error names both locations", async () => {
    expect(
      await failure({
        "a.yaml": "version: 1\nteams:\n  - key: x\n",
        "b.yaml": "version: 1\nteams: [{name: B, key: x}]\n"
      })
    ).toBe(
      "orgplane: $/b.yaml:2:19: teams[0].key is 'x', like that of the object in $/a.yaml:3:5. Each key must be unique for its kind."
    )
    const directory = await files({ "a.yaml": "version: 1\nteams: [{key: x}]\nroles: [{key: x}]\n" })
    expect((await load([directory])).document).toMatchObject({ teams: [{ key: "x" }], roles: [{ key: "x" }] })
  })

  it("cannot contradict each other", async () => {
    expect(
      await failure({
        "a.yaml": "version: 1\norganization: {name: A}\nteams: []\n",
        "b.yaml": "version: 2\norganization: {name: A}\nteams: {}\n"
      })
    ).toBe(
      [
        "orgplane: The configuration has 3 problems.",
        "  $/b.yaml:1:1: version differs from that in $/a.yaml:1:1",
        "  $/b.yaml:2:16: organization.name is already set in $/a.yaml:2:16",
        "  $/b.yaml:3:1: teams is an object, but a list in $/a.yaml:3:1"
      ].join("\n")
    )
  })

  it("must be readable text", async () => {
    expect(await failure({ "a.txt": "" })).toBe("orgplane: $: contains no file *.yaml, *.yml or *.json.")
    expect(await failure({ "a.yaml": new Uint8Array([0xff, 0xfe]) })).toBe("orgplane: $/a.yaml: is not UTF-8 text.")
    expect(await failureOf("/elsewhere", load(["/nonexistent/a.yaml"]))).toBe(
      "orgplane: /nonexistent/a.yaml: no such file or directory."
    )
    expect(await failureOf("/elsewhere", load([]))).toBe("orgplane: Missing: --file.")
    expect(await failure({ "a.yaml": `# ${"x".repeat(9_000_000)}` })).toContain("The files are too large")
    const directory = await files({ "a.yaml": "version: 1\n" })
    expect(await failureOf("/elsewhere", load([directory], { variables: ["A-B"] }))).toContain("got 'A-B'")
  })

  it("follow links to files, but not to directories", async () => {
    const directory = await files({ "real/a.yaml": "version: 1\nteams: [{key: a}]\n", "linked/b.yaml": "version: 1\n" })
    await symlink(directory, join(directory, "linked/loop"))
    await symlink(join(directory, "real/a.yaml"), join(directory, "linked/a.yaml"))
    expect((await load([join(directory, "linked")])).document).toEqual({ version: 1, teams: [{ key: "a" }] })
  })
})

describe("a configuration file", () => {
  it.each([
    ["", "1:1: is empty."],
    ["[1]", "1:1: must be an object with members such as 'version'."],
    ["version: 1\nteams: [\n", "is not valid YAML: "],
    ["version: 1\nversion: 1\n", "2:1: version is already set in $/a.yaml:1:1."],
    ["version: 1\nteams: [{key: a, key: b}]\n", "2:18: teams[0].key is already set in $/a.yaml:2:10."],
    ["version: 1\n---\nversion: 1\n", "contains several documents. Write each to its own file."],
    ["version: !!js/regexp /a/\n", "is not valid YAML: Unresolved tag"],
    ["version: .inf\n", "1:10: version must be a finite number."],
    ["1: version\n", "1:1: has a member whose name is not text. Write the name in quotes."],
    ["? [a]\n: 1\n", "1:3: has a member whose name is not text. Write the name in quotes."],
    ["version: *one\n", "1:10: version refers to the anchor 'one', which is not defined before it."]
  ])("%j is rejected", async (text, message) => {
    expect(await failure({ "a.yaml": text })).toContain(message)
  })

  it("is JSON if its name says so", async () => {
    expect(await failure({ "a.json": "version: 1\n" })).toContain("$/a.json:1:1: is not valid JSON: ")
    expect(await failure({ "a.json": '{"version": 1, "version": 1}' })).toContain("version is already set in")
  })

  it("is read by the rules of YAML 1.2, even if it declares another version", async () => {
    const directory = await files({ "a.yaml": "%YAML 1.1\n---\nversion: 1\non: no\n<<: {a: 1}\nb: 0o17\n" })
    expect((await load([directory])).document).toEqual({ version: 1, on: "no", "<<": { a: 1 }, b: 15 })
  })

  it("keeps members with names of built-in properties as data", async () => {
    const directory = await files({ "a.yaml": "version: 1\n__proto__: {polluted: true}\nconstructor: [{key: a}]\n" })
    const { document } = await load([directory])
    expect(Object.keys(document)).toEqual(["version", "__proto__", "constructor"])
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  it("can repeat values with aliases, within limits", async () => {
    const directory = await files({ "a.yaml": "version: 1\na: &x [1]\nb: *x\nc: &x [2]\nd: *x\n" })
    expect((await load([directory])).document).toEqual({ version: 1, a: [1], b: [1], c: [2], d: [2] })
    const bomb = ["version: 1", "a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    for (let level = 1; level < 9; level += 1) {
      bomb.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(",")}]`
      )
    }
    expect(await failure({ "a.yaml": bomb.join("\n") })).toContain("The configuration is too large")
    const long = `version: 1\na: &a ${"x".repeat(1_000_000)}\nb: [*a,*a,*a,*a,*a,*a,*a,*a]\n`
    expect(await failure({ "a.yaml": long })).toContain("The configuration is too large")
    expect(await failure({ "a.yaml": "version: 1\na: &a [*a, *a]\n" })).toContain("is nested too deeply")
  })

  it("has limits of depth and size", async () => {
    expect(await failure({ "a.yaml": `a: ${"[".repeat(60)}${"]".repeat(60)}` })).toContain("is nested too deeply")
    expect(await failure({ "a.yaml": `a: ${"[".repeat(20_000)}` })).toMatch(/not valid YAML|nested too deeply/u)
    expect(await failure({ "a.yaml": `version: 1\na: &a ${"é".repeat(1_000_000)}\nb: [*a,*a,*a,*a]\n` })).toContain(
      "bytes as JSON. At most 8388608"
    )
  })
})

describe("variables", () => {
  it("are inserted into text, but not into keys and names", async () => {
    const text = "version: 1\nteams: [{key: a, name: 'x ${env:A} ${env:A}', other: '$${env:A} ${env:A'}]\n"
    const directory = await files({ "a.yaml": text })
    const { document } = await load([directory], { env: { A: "*x: [y]" }, variables: ["A"] })
    expect(document).toEqual({
      version: 1,
      teams: [{ key: "a", name: "x *x: [y] *x: [y]", other: "${env:A} ${env:A" }]
    })
    const options = { env: { A: "a" }, variables: ["A"] }
    expect(await failure({ "a.yaml": "teams: [{key: '${env:A}'}]\n" }, options)).toBe(
      "orgplane: $/a.yaml:1:15: teams[0].key must not contain a variable, because it is a key."
    )
    expect(await failure({ "a.yaml": "moved: [{kind: teams, from: '${env:A}', to: b}]\n" }, options)).toContain(
      "moved[0].from must not contain a variable"
    )
    expect(await failure({ "a.yaml": "teams: [{'${env:A}': 1}]\n" }, options)).toContain("because it is a name")
    expect(await failure({ "a.yaml": "name: '${env:}'\n" }, options)).toContain("which is not a valid name")
    expect(await failure({ "a.yaml": "name: '${env:HOME}'\n" }, options)).toContain("which --env does not list")
  })

  it("are escaped so that any text reads as itself", () => {
    const environment = { allowed: new Set<string>(), values: {} }
    const part = fc.constantFrom("$", "${env:A}", "$$", "{env:A}", "}", "x", "${env:")
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join("")
        expect(withVariables(escapeVariables(text), environment, () => expect.unreachable())).toBe(text)
      })
    )
  })
})

describe("secrets", () => {
  const document = (...references: ReadonlyArray<string>) =>
    `version: 1\nllmProviders:\n${references.map((each, index) => `  - {key: k${index}, apiKey: ${each}}\n`).join("")}`

  it("are read from listed variables and from files below the directory of the document", async () => {
    const directory = await files({
      "a/a.yaml": document("{fromEnvironment: TOKEN}", "{fromFile: secrets/key.txt}", "{fromEnvironment: TOKEN}"),
      "a/secrets/key.txt": "s3cret\r\n"
    })
    const { document: sent, secrets } = await load([directory], { env: { TOKEN: "t0ken" }, variables: ["TOKEN"] })
    expect(secrets).toEqual({ TOKEN: "t0ken", "secrets/key.txt": "s3cret" })
    // The document only has the references.
    expect(JSON.stringify(sent)).not.toMatch(/t0ken|s3cret/u)
  })

  it.each([
    ["{fromEnvironment: HOME}", "refers to the environment variable HOME, which --env does not list. Add --env HOME"],
    ["{fromEnvironment: EMPTY}", "refers to the environment variable EMPTY, which is not set or is empty"],
    ["{fromFile: /etc/passwd}", "must be a path relative to the directory of the document"],
    [
      "{fromFile: ../outside.txt}",
      "refers to the file ../outside.txt, which is not below the directory of the document"
    ],
    ["{fromFile: link.txt}", "refers to the file link.txt, which is not below the directory of the document"],
    ["{fromFile: .}", "refers to the file ., which is not below the directory of the document"],
    ["{fromFile: sub}", "refers to sub, which is not a file"],
    ["{fromFile: missing}", "refers to the file missing, which does not exist"],
    ["{fromFile: large.txt}", "refers to the file large.txt, which has more than 16384 characters"],
    ["{fromEnvironment: LONG}", "refers to the environment variable LONG, which has more than 16384 characters"],
    ["{fromFile: empty.txt}", "refers to the file empty.txt, which is empty"],
    ["{fromFile: binary.txt}", "refers to the file binary.txt, which is not UTF-8 text"]
  ])("%s is rejected", async (reference, message) => {
    const directory = await files({
      "outside.txt": "outside",
      "a/a.yaml": document(reference),
      "a/sub/file.txt": "x",
      "a/large.txt": "x".repeat(16_385),
      "a/empty.txt": "\n",
      "a/binary.txt": new Uint8Array([0xff])
    })
    await symlink(join(directory, "outside.txt"), join(directory, "a/link.txt"))
    const loading = load([join(directory, "a")], {
      env: { EMPTY: "", LONG: "x".repeat(16_385) },
      variables: ["EMPTY", "LONG"]
    })
    expect(await failureOf(directory, loading)).toBe(`orgplane: $/a/a.yaml:3:15: llmProviders[0].apiKey ${message}.`)
  })

  it("with one name and different values are rejected", async () => {
    const message = await failure({
      "a/a.yaml": document("{fromFile: key.txt}"),
      "a/key.txt": "one",
      "b/b.yaml": document("{fromFile: key.txt}").replace("k0", "k1"),
      "b/key.txt": "two"
    })
    expect(message).toContain("has the name of a different secret in $/a/a.yaml:3:15. Use different names: key.txt")
    expect(message).not.toMatch(/\b(one|two)\b/u)
  })

  it("are not read for objects that only look like references", async () => {
    const directory = await files({
      "a.yaml":
        "version: 1\nconnectors: [{key: a, config: {fromFile: b.txt}}]\nplugins: [{key: p, objects: [{normalizedPayloadJson: {fromEnvironment: HOME}}]}]\nllmProviders: [{key: l, options: {apiKey: {fromFile: b.txt}}}]\n",
      "b.txt": "secret"
    })
    const { document: sent, secrets } = await load([directory], { env: { HOME: "h" }, variables: ["HOME"] })
    expect(secrets).toEqual({})
    expect(sent).toMatchObject({ connectors: [{ config: { fromFile: "b.txt" } }] })
  })

  it("are limited to 500", async () => {
    const env = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`T${index}`, "t"]))
    const text = document(...Object.keys(env).map((name) => `{fromEnvironment: ${name}}`))
    const variables = Object.keys(env)
    expect(await failure({ "a.yaml": text }, { env, variables })).toContain("exceeds the limit of 500 secrets")
  })

  it("are not collected if the server does not accept them", async () => {
    const directory = await files({ "a.yaml": document("{fromEnvironment: TOKEN}") })
    const loaded = await loadDocument(ioOf(), { files: [directory], variables: [], sendsSecrets: false })
    expect(loaded.secrets).toEqual({})
  })
})

describe("configuration format", () => {
  const untidy =
    "# Top\nversion:   1 # one\n\n\n\nteams:\n    # A team\n    - key:   'a'   # its key\n      members: [ b,c,   a ]\n      text: >-\n        folded text\n        that goes on\n      name: \"A\"\n"
  const tidy =
    "# Top\nversion: 1 # one\n\nteams:\n  # A team\n  - key: 'a' # its key\n    members: [ b, c, a ]\n    text: >-\n      folded text that goes on\n    name: \"A\"\n"

  it("sets indentation and spaces, and keeps comments, order, values and the mode of the file", async () => {
    const directory = await files({ "a.yaml": untidy, "b.json": '{"version":1,"b":1,"a":[]}', "c.yaml": tidy })
    await chmod(join(directory, "a.yaml"), 0o640)
    const checked = await ran(["configuration", "format", "-f", directory, "--check"])
    const names = ["a.yaml", "b.json"].map((name) => join(directory, name)).join("\n")
    expect(checked).toMatchObject({
      code: 1,
      out: `${names}\n`,
      err: "2 of 3 files are not formatted. Run 'orgplane configuration format'.\n"
    })
    expect(await readFile(join(directory, "a.yaml"), "utf8")).toBe(untidy)
    expect(await ran(["configuration", "format", "-f", directory])).toMatchObject({ code: 0, out: `${names}\n` })
    expect(await readFile(join(directory, "a.yaml"), "utf8")).toBe(tidy)
    expect((await stat(join(directory, "a.yaml"))).mode & 0o777).toBe(0o640)
    expect(await readFile(join(directory, "b.json"), "utf8")).toBe('{\n  "version": 1,\n  "b": 1,\n  "a": []\n}\n')
    expect(await ran(["configuration", "format", "-f", directory, "--check"])).toMatchObject({ code: 0, out: "" })
  })

  it("prints the document from standard input, and changes no file if one is faulty", async () => {
    expect(await ran(["configuration", "format", "-f", "-"], { stdin: untidy })).toMatchObject({ code: 0, out: tidy })
    const directory = await files({ "a.yaml": untidy, "b.yaml": "version: [" })
    expect((await ran(["configuration", "format", "-f", directory])).code).toBe(1)
    expect(await readFile(join(directory, "a.yaml"), "utf8")).toBe(untidy)
  })

  it("leaves variables and what an export writes as they are", () => {
    const source = (text: string) => ({ name: "a.yaml", text, isJson: false, directory: undefined })
    expect(formatted(source("name: ${env:A}\n"))).toBe("name: ${env:A}\n")
    const parsed = (text: string): unknown => {
      const environment = { allowed: new Set<string>(), values: {} }
      const faults = new Faults()
      const { value } = parseSource(source(text), { yaml: yamlLibrary(), faults, budget: new Budget(), environment })
      expect(faults.shown).toEqual([])
      return value
    }
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.constantFrom("a\nb\n", " a\n b", "no", "${env:A}", "# a", "é\u202e")
    )
    const item = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/u),
      fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text))
    )
    fc.assert(
      fc.property(fc.record({ version: fc.constant(1), teams: fc.array(item) }), (document) => {
        const written = exportedYaml(document, "https://orgplane.example/v1/configuration/schema")
        expect(parsed(written)).toEqual(document)
        expect(formatted(source(written))).toBe(written)
      })
    )
  })
})
