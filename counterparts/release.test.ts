/**
 * A release from end to end, without the services of the release workflow: the release script publishes to a registry on
 * this machine, and a user installs the packages from it into an empty project.
 */
import { Ajv } from "ajv"
import { execFile } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { nameOf, publishOrder, type Sbom } from "../scripts/release/sbom.ts"
import { fileOf } from "./programs.ts"
import { runProgram, startProgram, startRegistry, stopPrograms } from "./registry.fixture.ts"

const root = join(import.meta.dirname, "..")
const folder = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-release-")))
const [app, home, out] = [join(folder, "app"), join(folder, "home"), join(folder, "release")]
const npmrc = join(home, ".npmrc")
let registry = ""
let output = ""
const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(root, "packages/server/package.json"), "utf8")
)

/** The environment without the settings of the package manager that runs this test. */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(config|package|lifecycle)_|pnpm_|NODE_OPTIONS|VITEST|GITHUB_)/iu.test(name)
    )
  ),
  PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  NO_COLOR: "1",
  npm_config_userconfig: npmrc
}

const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): Promise<string> =>
  runProgram(command, args, { cwd, env: environment })
const publish = (from: string) =>
  run(
    root,
    process.execPath,
    "--eval",
    `import("./scripts/release/publish.ts").then(({ publish }) => publish(...JSON.parse(process.argv[1])))`,
    JSON.stringify([from, { dryRun: false, registry }])
  )

beforeAll(async () => {
  for (const path of [app, home]) mkdirSync(path)
  registry = await startRegistry(folder, npmrc, environment)
  output = await run(root, process.execPath, "scripts/release/release.ts", "--out", out, "--registry", registry)
}, 600_000)

afterAll(async () => {
  await stopPrograms()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

const tarballs = () => readdirSync(out).filter((file) => file.endsWith(".tgz"))
const sbomOf = (name: string): Sbom => JSON.parse(readFileSync(join(out, `${name}.cdx.json`), "utf8"))

describe("the release script", () => {
  it("checks, packs and publishes the packages in the order of their dependencies", () => {
    expect(output.split("\n")).toEqual([
      expect.stringMatching(/^Compatible with \d+\.\d+\.\d+/u),
      "wrote licenses.md",
      ...publishOrder.map((name) => `wrote ${name}.cdx.json`),
      "build and pack the packages",
      "wrote SHA256SUMS",
      ...publishOrder.map((name) => `published @orgplane/${name}`),
      ""
    ])
    expect(tarballs().toSorted()).toEqual(publishOrder.map((name) => `orgplane-${name}-${version}.tgz`).toSorted())
  })

  it("writes checksums that sha256sum accepts", async () => {
    const checked = await run(out, "sha256sum", "--check", "SHA256SUMS")
    expect(checked.trimEnd().split("\n").toSorted()).toEqual(
      tarballs()
        .map((file) => `${file}: OK`)
        .toSorted()
    )
  })

  it("skips packages that an earlier run has published, and rejects different content for the same version", async () => {
    expect(await publish(out)).toBe(
      publishOrder
        .map((name) => `skipped @orgplane/${name}: @orgplane/${name}@${version} is already published\n`)
        .join("")
    )
    const changed = join(folder, "changed")
    cpSync(out, changed, { recursive: true })
    const tarball = join(changed, `orgplane-client-${version}.tgz`)
    await run(changed, "tar", "xzf", tarball)
    writeFileSync(join(changed, "package/README.md"), "Changed.\n")
    utimesSync(join(changed, "package/README.md"), 0, 0)
    await run(changed, "tar", "czf", tarball, "package")
    await expect(publish(changed)).rejects.toThrow(
      `@orgplane/client@${version} is already published with other content. Raise the version, and publish again.`
    )
  })
})

describe("the SBOMs", () => {
  const schema = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(fileOf("@cyclonedx/cyclonedx-library", `res/schema/${name}.SNAPSHOT.schema.json`), "utf8"))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  // The main schema refers to the others by the names of their files, which differ from their identifiers.
  for (const name of ["spdx", "jsf-0.82"]) {
    ajv.addSchema({ ...schema(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` })
  }
  const validate = ajv.compile(schema("bom-1.6"))

  it.each(publishOrder)("%s.cdx.json matches the schema of CycloneDX 1.6", (name) => {
    validate(sbomOf(name))
    expect(validate.errors ?? []).toEqual([])
    expect(sbomOf(name).metadata.component).toMatchObject({ group: "@orgplane", name, version })
  })

  it("are checked by a schema that rejects a wrong field", () => {
    expect(validate({ ...sbomOf("schema"), components: [{ name: "effect", type: "libary" }] })).toBe(false)
  })

  it("cli.cdx.json contains exactly what is in the bundle, or installed with it", () => {
    expect(sbomOf("cli").components.map(nameOf).toSorted()).toEqual([
      "@orgplane/client",
      "@orgplane/schema",
      "ansi-regex",
      "effect",
      "get-east-asian-width",
      "jq-wasm",
      "jsonc-parser",
      "modern-tar",
      "pend",
      "string-width",
      "strip-ansi",
      "yaml",
      "yauzl"
    ])
  })

  it("and the list of licenses name every package of other authors once", () => {
    const rows = readFileSync(join(out, "licenses.md"), "utf8")
      .split("\n")
      .flatMap((row) => /^\| (\S+) \| (\d\S*) \| [^|]+ \|$/u.exec(row)?.slice(1, 3).join("@") ?? [])
    const components = publishOrder.flatMap((name) =>
      sbomOf(name)
        .components.filter(({ group }) => group !== "@orgplane")
        .map((component) => `${nameOf(component)}@${component.version}`)
    )
    expect(rows.toSorted()).toEqual([...new Set(components)].toSorted())
  })
})

describe("the published packages", () => {
  beforeAll(async () => {
    await run(app, "npm", "init", "-y")
    await run(app, "npm", "pkg", "set", "type=module")
    await run(app, "npm", "install", "@orgplane/server", "@orgplane/client", "@orgplane/cli", "effect")
  })

  interface Lock {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly resolved?: string }>>
  }
  const installed = () => {
    const lock: Lock = JSON.parse(readFileSync(join(app, "package-lock.json"), "utf8"))
    return Object.entries(lock.packages).flatMap(([path, { resolved, version }]) =>
      path === "" ? [] : [{ name: path.split("node_modules/").at(-1) ?? "", version, resolved }]
    )
  }

  it("are installed from the registry at the version of the release", () => {
    const own = installed().filter(({ name }) => name.startsWith("@orgplane/"))
    expect(own.map(({ name }) => name).toSorted()).toEqual(publishOrder.map((name) => `@orgplane/${name}`).toSorted())
    for (const { name, resolved, version: installedVersion } of own) {
      expect([name, installedVersion]).toEqual([name, version])
      expect(resolved?.startsWith(registry)).toBe(true)
      expect(tarballs().map((file) => file.replace("orgplane-", ""))).toContain(basename(resolved ?? ""))
    }
  })

  it("install nothing that the SBOMs lack", () => {
    const described = new Set(publishOrder.flatMap((name) => sbomOf(name).components.map(nameOf)))
    const own = new Set(publishOrder.map((name) => `@orgplane/${name}`))
    const others = new Set(installed().map(({ name }) => name))
    expect([...others].filter((name) => !own.has(name) && !described.has(name))).toEqual([])
  })

  it("start a server, which the client and the CLI use", async () => {
    const data = join(folder, "data")
    const settings = { ORGPLANE_PORT: "0", ORGPLANE_DATA_DIR: data, ORGPLANE_SEED: "none", ORGPLANE_DRAIN_SECONDS: "0" }
    const { child, match } = await startProgram(
      join(app, "node_modules/.bin/orgplane-server"),
      [],
      /orgplane serves (http:\S+)/u,
      { cwd: app, env: { ...environment, ...settings, HOME: home } }
    )
    const [, baseUrl = ""] = match
    writeFileSync(
      join(app, "use.mjs"),
      `import { createClient } from "@orgplane/client"
const { session } = await createClient({ baseUrl: process.argv[2] }).bootstrap.workspace({ workspaceName: "Acme" })
await createClient({ baseUrl: process.argv[2], token: session.token }).plugins.create({ name: "Code review" })
console.log(session.token)
`
    )
    const token = (await run(app, process.execPath, "use.mjs", baseUrl)).trim()
    const cli = [join(app, "node_modules/.bin/orgplane"), "plugins", "list", "--jq", ".[].name"] as const
    const { stdout } = await promisify(execFile)(cli[0], cli.slice(1), {
      cwd: app,
      env: { ...environment, HOME: home, ORGPLANE_BASE_URL: baseUrl, ORGPLANE_TOKEN: token }
    })
    expect(stdout).toBe("Code review\n")
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    expect(await ended).toEqual([0, null])
  })
})

it("the image is built for two architectures, with the version and the commit as labels", async () => {
  const script = join(root, "scripts/release/image.ts")
  const commit = (await run(root, "git", "rev-parse", "HEAD")).trim()
  const line = await run(root, process.execPath, script, "--image", "registry.example/orgplane", "--dry-run")
  expect(line).toMatch(/^would run docker buildx build --platform linux\/amd64,linux\/arm64 /u)
  for (const part of [`VERSION=${version}`, `REVISION=${commit}`, `--tag registry.example/orgplane:${version}`]) {
    expect(line).toContain(` ${part} `)
  }
  const containerfile = readFileSync(join(root, "deploy/container/Containerfile"), "utf8")
  const args = [...line.matchAll(/--build-arg (\w+)=/gu)].map(([, name = ""]) => name)
  expect(args.filter((name) => !containerfile.includes(`\nARG ${name}=`))).toEqual([])
})
