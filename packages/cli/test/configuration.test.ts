/** Configuration as code on the command line, against a real server. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { folder, ran, spawned } from "./harness.ts"
import { startWorkspace } from "./plane.ts"

let workspace: Awaited<ReturnType<typeof startWorkspace>>

beforeAll(async () => {
  workspace = await startWorkspace()
})
afterAll(() => workspace.close())

const server = () => ({ url: workspace.origin, token: workspace.token })

/** Runs `orgplane configuration` as a process without a terminal. */
const configuration = (args: ReadonlyArray<string>, more: { stdin?: string; env?: Record<string, string> } = {}) =>
  spawned(["configuration", ...args], { ...server(), ...more })

/** Runs `orgplane configuration` on a terminal where the user types the lines. */
const onTerminal = (args: ReadonlyArray<string>, ...typed: ReadonlyArray<string>) =>
  ran(["configuration", ...args], { ...server(), columns: 100, typed, env: { NO_COLOR: "1" } })

const succeeded = async (...parameters: Parameters<typeof configuration>): Promise<string> => {
  const { code, err, out } = await configuration(...parameters)
  expect([code, err]).toEqual([0, expect.any(String)])
  return out
}

const json = async (...args: ReadonlyArray<string>) => JSON.parse(await succeeded([...args, "-o", "json"]))

/** Writes files into a new directory. */
const files = async (contents: Readonly<Record<string, string>>): Promise<string> => {
  const directory = await folder()
  for (const [name, text] of Object.entries(contents)) {
    await mkdir(join(directory, name, ".."), { recursive: true })
    await writeFile(join(directory, name), text)
  }
  return directory
}

const file = async (text: string, name = "org.yaml") => join(await files({ [name]: text }), name)
const apply = async (text: string) => succeeded(["apply", "-f", await file(text), "--yes"])
const digestOf = (text: string) => /digest ([0-9a-f]{64})/u.exec(text)?.[1] ?? ""

describe("configuration export", () => {
  it("prints YAML that a plan accepts without differences, and names the schema of the server for editors", async () => {
    await apply(
      "version: 1\nteams:\n  - key: export-a\n    name: Exported\n    description: |-\n      Two\n      lines\n"
    )
    const text = await succeeded(["export"])
    const [first, second] = text.split("\n")
    expect([first, second]).toEqual([
      `# yaml-language-server: $schema=${workspace.origin}/v1/configuration/schema`,
      "version: 1"
    ])
    expect(text).toContain("    description: |-\n      Two\n      lines\n")
    expect(await succeeded(["export"])).toBe(text)
    const path = await file(text)
    expect(await configuration(["plan", "-f", path, "--detailed-exitcode"])).toMatchObject({ code: 0 })
    expect(await configuration(["format", "-f", path, "--check"])).toEqual({ code: 0, out: "", err: "" })
  })

  it("prints only some kinds, and JSON that a plan accepts", async () => {
    const document = await json("export", "--kinds", "organization")
    expect(Object.keys(document)).toEqual(["$schema", "version", "organization"])
    const path = await file(JSON.stringify(document), "org.json")
    expect((await json("plan", "-f", path)).plan.changes).toEqual([])
    expect(await configuration(["export", "--kinds", "cats"])).toMatchObject({ code: 1, out: "" })
  })

  it("escapes text that looks like a variable", async () => {
    await apply("version: 1\nteams:\n  - key: literal\n    name: The $${env:HOME} team\n")
    const text = await succeeded(["export", "--kinds", "teams"])
    expect(text).toContain("name: The $${env:HOME} team")
    expect((await json("plan", "-f", await file(text))).plan.changes).toEqual([])
  })
})

describe("configuration schema", () => {
  it("prints the schema without signing in", async () => {
    const { code, out } = await spawned(["configuration", "schema"], { url: workspace.origin, token: "" })
    expect([code, JSON.parse(out).$ref]).toEqual([0, "#/$defs/ConfigurationDocument"])
  })
})

describe("configuration plan", () => {
  it("prints the changes field by field, and the command that applies exactly this plan", async () => {
    const before = await file(
      "version: 1\nroles:\n  - {key: plan-r, name: Reader, permissions: [plugins:read, teams:read]}\nteams:\n  - {key: plan-a, name: Alpha, description: Old}\n"
    )
    await succeeded(["apply", "-f", before, "--yes"])
    const path = await file(
      "version: 1\nroles:\n  - {key: plan-r, name: Reader, permissions: [plugins:read, audit:read]}\nteams:\n  - {key: plan-a, name: Alpha, description: New}\n  - {key: plan-b, name: Beta}\n"
    )
    const { code, out } = await configuration(["plan", "-f", path])
    const digest = digestOf(out)
    expect([code, out.trim().split("\n")]).toEqual([
      0,
      [
        "~ roles plan-r  Reader",
        "    permissions:",
        '      - "teams:read"',
        '      + "audit:read"',
        "~ teams plan-a  Alpha",
        '    description: "Old" -> "New"',
        "+ teams plan-b  Beta",
        '    name: "Beta"',
        "",
        "1 to create, 2 to update.",
        `digest ${digest}`,
        `orgplane configuration apply -f ${path} --plan-digest ${digest}`
      ]
    ])
    const terminal = await onTerminal(["plan", "-f", path])
    expect(terminal.out).toBe(out)
    expect((await json("plan", "-f", path)).plan).toMatchObject({ planDigest: digest, hasChanges: true, problems: [] })
    expect((await succeeded(["plan", "-f", path, "-q"])).trim()).toBe(digest)
  })

  it("exits with 2 for a difference and 1 for an error with --detailed-exitcode", async () => {
    const path = await file("version: 1\nteams:\n  - key: detailed\n    name: Detailed\n")
    const codeOf = async (...args: ReadonlyArray<string>) =>
      (await configuration(["plan", "--detailed-exitcode", ...args])).code
    expect(await codeOf("-f", path)).toBe(2)
    expect(await codeOf("-f", path, "-o", "json")).toBe(2)
    expect((await configuration(["plan", "-f", path])).code).toBe(0)
    await succeeded(["apply", "-f", path, "--yes"])
    expect(await codeOf("-f", path)).toBe(0)
    expect(await codeOf("-f", `${path}.missing`)).toBe(1)
    expect(await codeOf("-f", path, "--nonsense")).toBe(1)
    expect(await codeOf()).toBe(1)
    expect(await codeOf("-f", await file("version: 1\nteams: [{key: x, name: X, members: [no@no.example]}]\n"))).toBe(1)
  })

  it("prints problems with their location in the file", async () => {
    const path = await file(
      "# Teams\nversion: 1\nteams:\n  - key: a\n    name: A\n  - key: b\n    name: B\n    members:\n      - nobody@nowhere.example\n"
    )
    const { code, out } = await configuration(["plan", "-f", path])
    expect(code).toBe(1)
    expect(out).toContain(
      `  ${path}:9:9: teams[1].members[0] is not the email address of a member: nobody@nowhere.example\n`
    )
    expect(out).not.toContain("digest")
    const applied = await configuration(["apply", "-f", path, "--yes"])
    expect([applied.code, applied.out]).toEqual([1, ""])
    expect(applied.err).toContain(`${path}:9:9: teams[1].members[0]`)
    expect(applied.err).toContain("orgplane: The document cannot be applied. Nothing was changed.")
  })

  it("prints the location of fields that the server rejects, in text and in JSON", async () => {
    const directory = await files({
      "a.yaml": "version: 1\nteams:\n  - key: a\n    name: A\n",
      "b/b.yml": "version: 1\nteams:\n  - key: b\n    name: B\n    title: red\n"
    })
    const { code, err } = await configuration(["plan", "-f", directory])
    expect(code).toBe(1)
    expect(err).toContain(`${join(directory, "b/b.yml")}:5:5: teams[1].title `)
    const { details } = JSON.parse((await configuration(["plan", "-f", directory, "-o", "json"])).err)
    expect(details[0]).toMatchObject({
      path: ["body", "document", "teams", 1, "title"],
      location: `${join(directory, "b/b.yml")}:5:5`
    })
  })
})

describe("configuration apply", () => {
  it("applies the plan that it showed after confirmation on a terminal, and prints what it did", async () => {
    const path = await file("version: 1\nteams:\n  - key: asked\n    name: Asked\n")
    const refused = await onTerminal(["apply", "-f", path], "n")
    expect([refused.code, refused.out]).toEqual([1, ""])
    expect(refused.err).toContain("+ teams asked  Asked")
    expect(refused.err).toContain("Canceled. Nothing was changed.")
    const applied = await onTerminal(["apply", "-f", path], "y")
    expect([applied.code, applied.out]).toEqual([0, "+ teams asked  Asked\n\nApplied: 1 created.\n"])
    // Without changes, there is nothing to confirm.
    expect(await onTerminal(["apply", "-f", path])).toMatchObject({ code: 0, out: "No changes.\n" })
  })

  it("requires --yes or --plan-digest without a terminal", async () => {
    const path = await file("version: 1\nteams:\n  - key: piped\n    name: Piped\n")
    const { code, err } = await configuration(["apply", "-f", path])
    expect([code, err]).toEqual([
      2,
      "orgplane: To apply without a prompt, --plan-digest or --yes is required. Get the digest with 'orgplane configuration plan'.\n"
    ])
    expect((await configuration(["apply", "-f", path, "--plan-digest", "abc"])).code).toBe(2)
    const digest = digestOf(await succeeded(["plan", "-f", path]))
    const applied = await json("apply", "-f", path, "--plan-digest", digest)
    expect(applied.plan).toMatchObject({ planDigest: digest, changes: [{ action: "create", key: "piped" }] })
  })

  it("shows the new plan and changes nothing if the digest is of an earlier plan", async () => {
    const path = await file("version: 1\nteams:\n  - key: late\n    name: Late\n")
    const digest = digestOf(await succeeded(["plan", "-f", path]))
    await apply("version: 1\nteams:\n  - key: between\n    name: Between\n")
    const { code, err, out } = await configuration(["apply", "-f", path, "--plan-digest", digest, "-q"])
    expect([code, out]).toEqual([5, ""])
    expect(digestOf(err)).toMatch(/^[0-9a-f]{64}$/u)
    expect(digestOf(err)).not.toBe(digest)
    expect(err).toContain("The plan has changed since the one with this digest.")
    expect((await json("export", "--kinds", "teams")).teams.map(({ key }: { key: string }) => key)).not.toContain(
      "late"
    )
  })

  it("fails if the organization changes between the plan and the confirmation", async () => {
    const path = await file("version: 1\nteams:\n  - key: raced\n    name: Raced\n")
    const child = ran(["configuration", "apply", "-f", path], {
      ...server(),
      columns: 100,
      env: { NO_COLOR: "1" },
      typed: [
        async () => {
          await apply("version: 1\nteams:\n  - key: racer\n    name: Racer\n")
          return "y"
        }
      ]
    })
    const { code, err } = await child
    expect([code, err]).toEqual([5, expect.stringContaining("plan_digest_mismatch")])
  })

  it("removes objects of pruned kinds, and prints them", async () => {
    await apply("version: 1\nroles:\n  - {key: pruned, name: Pruned, permissions: []}\n")
    const { roles } = await json("export", "--kinds", "roles")
    const kept = roles.filter(({ key }: { key: string }) => key !== "pruned")
    const document = JSON.stringify({ version: 1, roles: kept, prune: { roles: true } })
    const out = await succeeded(["apply", "-f", "-", "--yes"], { stdin: document })
    expect(out).toContain("- roles pruned  Pruned\n")
    expect(out).toContain("Applied: 1 deleted.")
    expect((await configuration(["apply", "-f", "-"], { stdin: document })).code).toBe(2)
  })

  it("uses only the environment variables that --env lists", async () => {
    const path = await file(
      'version: 1\nteams:\n  - key: env\n    name: "${env:STAGE} team"\n    description: ${env:SECRET}\n'
    )
    const env = { STAGE: "Test", SECRET: "hush" }
    const refused = await configuration(["plan", "-f", path, "--env", "STAGE"], { env })
    expect(refused).toEqual({
      code: 1,
      out: "",
      err: `orgplane: ${path}:5:18: teams[0].description refers to the environment variable SECRET, which --env does not list. Add --env SECRET.\n`
    })
    const unset = await configuration(["plan", "-f", path, "--env", "STAGE", "--env", "SECRET"], { env: { STAGE: "" } })
    expect(unset.err).toContain(
      `  ${path}:4:11: teams[0].name refers to the environment variable STAGE, which is not set`
    )
    expect(unset.err).toContain("The configuration has 2 problems.")
    const out = await succeeded(["apply", "-f", path, "--env", "STAGE", "--env", "SECRET", "--yes"], { env })
    expect(out).toContain("+ teams env  Test team")
  })
})

describe("configuration adopt", () => {
  it("stores the keys of an export, or the chosen ones", async () => {
    const team = async (name: string) => {
      const { out } = await spawned(["teams", "create", "--name", name, "-q"], server())
      return out.trim()
    }
    const [one] = [await team("Adopted one"), await team("Adopted two")]
    const chosen = await succeeded(["adopt", `teams/${one}=first`])
    expect(chosen).toBe(`teams\tfirst\t${one}\n`)
    const rest = await json("adopt")
    expect(rest.adopted).toMatchObject([{ kind: "teams", key: "adopted-two" }])
    expect((await json("adopt")).adopted).toEqual([])
    expect((await configuration(["adopt", "teams"])).code).toBe(2)
    expect((await configuration(["adopt", `teams/${one}=second`])).code).toBe(5)
  })
})
