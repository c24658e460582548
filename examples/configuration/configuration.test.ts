/** The commands of the CI examples, run by a shell against a real server. */
import { execFile } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { startWorkspace } from "../../packages/cli/test/plane.ts"
import { compileCache } from "../../test/compile-cache.ts"
import { cliProgram } from "../../test/programs.ts"

const here = import.meta.dirname
const workflow = ".github/workflows/configuration.yml"
const pipeline = ".gitlab-ci.yml"

let workspace: Awaited<ReturnType<typeof startWorkspace>>
let checkout = ""

/** A program on the path of the jobs. */
const program = (name: string, script: string) => {
  const path = join(checkout, "bin", name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

beforeAll(async () => {
  workspace = await startWorkspace()
  checkout = mkdtempSync(join(tmpdir(), "orgplane-ci-"))
  cpSync(join(here, "org"), join(checkout, "org"), { recursive: true })
  mkdirSync(join(checkout, "bin"))
  program("orgplane", `exec '${process.execPath}' '${cliProgram}' "$@"`)
  // The packages are not published yet.
  program("npm", `test "$*" = "install --global @orgplane/cli"`)
})
afterAll(async () => {
  await workspace.close()
  rmSync(checkout, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
}

/** Runs a script as GitHub's and GitLab's runners do. */
const bash = (script: string): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(
      "bash",
      ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      {
        cwd: checkout,
        env: {
          ...compileCache,
          PATH: `${join(checkout, "bin")}:${process.env["PATH"] ?? ""}`,
          HOME: checkout,
          CI: "true",
          GITHUB_STEP_SUMMARY: join(checkout, "summary.md"),
          ORGPLANE_BASE_URL: workspace.origin,
          ORGPLANE_TOKEN: workspace.token
        }
      },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out: out + err })
    )
  })

const read = (name: string): unknown => parse(readFileSync(join(here, name), "utf8"))

/** The scripts of the jobs of GitHub Actions. */
const githubJobs = (): Readonly<Record<string, ReadonlyArray<string>>> => {
  const { jobs } = read(workflow) as {
    readonly jobs: Readonly<Record<string, { readonly steps: ReadonlyArray<{ readonly run?: string }> }>>
  }
  return Object.fromEntries(
    Object.entries(jobs).map(([name, { steps }]) => [name, steps.flatMap(({ run }) => run ?? [])])
  )
}

/** The scripts of the jobs of GitLab. */
const gitlabJobs = (): Readonly<Record<string, ReadonlyArray<string>>> => {
  const {
    before_script: before,
    image: _,
    ...jobs
  } = read(pipeline) as {
    readonly before_script: ReadonlyArray<string>
    readonly image: string
  } & Readonly<Record<string, { readonly script: ReadonlyArray<string> }>>
  return Object.fromEntries(Object.entries(jobs).map(([name, { script }]) => [name, [...before, ...script]]))
}

const runJob = async (scripts: ReadonlyArray<string> = []): Promise<Ran> => {
  expect(scripts.length).toBeGreaterThan(1)
  let out = ""
  for (const script of scripts) {
    const step = await bash(script)
    out += step.out
    if (step.code !== 0) return { code: step.code, out }
  }
  return { code: 0, out }
}

describe.each([
  ["GitHub Actions", githubJobs()],
  ["GitLab", gitlabJobs()]
])("the jobs for %s", (name, jobs) => {
  it("plan changes, apply them, and then find no drift until the organization is changed", async () => {
    const key = name.toLowerCase().replaceAll(" ", "-")
    writeFileSync(join(checkout, `org/${key}.yaml`), `version: 1\n\nteams:\n  - key: ${key}\n    name: ${name}\n`)
    const planned = await runJob(jobs["plan"])
    expect(planned).toMatchObject({ code: 0, out: expect.stringContaining(`+ teams ${key}  ${name}`) })
    expect((await runJob(jobs["drift"])).code).toBe(2)
    const applied = await runJob(jobs["apply"])
    expect(applied).toMatchObject({ code: 0, out: expect.stringContaining("Applied: ") })
    expect(await runJob(jobs["drift"])).toMatchObject({ code: 0, out: expect.stringContaining("No changes.") })
    await bash(`orgplane roles create --name 'Made by hand for ${name}' --permission plugins:read`)
    const drift = await runJob(jobs["drift"])
    expect(drift).toMatchObject({ code: 2, out: expect.stringContaining(`Made by hand for ${name}`) })
    expect((await runJob(jobs["apply"])).out).toContain("1 deleted")
  })

  it("fail a change that is not formatted or not valid", async () => {
    const path = join(checkout, "org/teams.yaml")
    const text = readFileSync(path, "utf8")
    try {
      writeFileSync(path, text.replace("name: Platform", "name:   Platform"))
      expect(await runJob(jobs["plan"])).toMatchObject({ code: 1, out: expect.stringContaining("not formatted") })
      writeFileSync(path, text.replace("name: Security", "title: Security"))
      const { code, out } = await runJob(jobs["plan"])
      expect([code, out]).toEqual([1, expect.stringMatching(/org\/teams\.yaml:10:5: teams\[\d\]\.title/u)])
    } finally {
      writeFileSync(path, text)
    }
  })
})

describe("the guide", () => {
  it("shows the files of the examples", () => {
    const guide = readFileSync(join(here, "../../docs/configuration-as-code.md"), "utf8")
    for (const name of [workflow, pipeline, "org/roles.yaml"]) {
      expect(guide).toContain(`\`\`\`yaml\n${readFileSync(join(here, name), "utf8")}\`\`\``)
    }
  })
})
