import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { packedPackages } from "../scripts/packed-packages.ts"

const root = join(import.meta.dirname, "..")
const names = ["schema", "client", "console", "server", "cli"] as const
type Name = (typeof names)[number]

let folder = ""
let app = ""
let tarballs: ReadonlyMap<string, string>
const running: Array<ChildProcess> = []

const environment = {
  ...process.env,
  PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  NO_COLOR: "1"
}

const run = async (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv = environment) => {
  try {
    return await promisify(execFile)(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${args.join(" ")} failed.\n${stdout ?? ""}\n${stderr ?? ""}`, { cause: error })
  }
}

const filesOf = async (name: Name) =>
  (await run("tar", ["tzf", tarballs.get(name) ?? ""], folder)).stdout
    .trimEnd()
    .split("\n")
    .map((file) => file.replace(/^package\//, ""))

/** Installs the tarballs as a user would, without access to this repository. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orgplane-packages-"))
  app = join(folder, "app")
  await mkdir(app)
  tarballs = await packedPackages()
  const { catalog } = await readCatalog()
  const manifest = {
    name: "app",
    private: true,
    type: "module",
    dependencies: Object.fromEntries(names.map((name) => [`@orgplane/${name}`, `file:${tarballs.get(name)}`])),
    devDependencies: { "@types/node": catalog["@types/node"] }
  }
  await writeFile(join(app, "package.json"), JSON.stringify(manifest))
  await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"], app)
}, 600_000)

afterAll(async () => {
  for (const child of running) child.kill("SIGKILL")
  await rm(folder, { recursive: true, force: true })
})

const readCatalog = async () => {
  const text = await readFile(join(root, "pnpm-workspace.yaml"), "utf8")
  const entries = [...text.matchAll(/^ {2}"?([@\w/.-]+)"?: ([\d.]\S*)$/gm)].map((match) => [match[1], match[2]])
  return { catalog: Object.fromEntries(entries) as Record<string, string> }
}

const readmeCode = async (heading: string) => {
  const readme = await readFile(join(root, "README.md"), "utf8")
  return /^```ts\n([\s\S]*?)^```/m.exec(readme.split(`\n## ${heading}\n`)[1] ?? "")?.[1] ?? ""
}

describe("the packages", () => {
  it("are schema, client, console, server and cli, and publint reports no problem", async () => {
    expect([...tarballs.keys()].sort()).toEqual([...names].sort())
    for (const tarball of tarballs.values()) {
      const { stdout } = await run("publint", ["run", tarball, "--strict"], root)
      expect(stdout).toContain("All good!")
    }
  }, 120_000)

  it.each(names)("%s contains its license and README, and no test, fixture or local path", async (name) => {
    const files = await filesOf(name)
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]))
    expect(
      files.filter((file) => /\.test\.|\.fixture\.|(^|\/)(fixtures|test)\/|\.pem$|tsbuildinfo/.test(file))
    ).toEqual([])
    const { stdout } = await run("tar", ["xzOf", tarballs.get(name) ?? ""], folder)
    expect(stdout.includes(root)).toBe(false)
    const manifest = await run("tar", ["xzOf", tarballs.get(name) ?? "", "package/package.json"], folder)
    expect(manifest.stdout).not.toMatch(/"(workspace|catalog):/)
  })

  it.each(names)("%s declares provenance only together with its repository", async (name) => {
    const manifest = JSON.parse(await readFile(join(root, "packages", name, "package.json"), "utf8"))
    // npm rejects a package with provenance and without a repository.
    const { publishConfig, repository } = manifest
    expect(publishConfig).toMatchObject({ access: "public" })
    expect("provenance" in publishConfig).toBe(repository !== undefined)
  })

  it("contain the console as static files with compressed copies, without dependencies", async () => {
    const files = await filesOf("console")
    const assets = files.filter((file) => /^dist\/static\/assets\/[\w.-]+\.(js|css)$/.test(file))
    expect(assets.length).toBeGreaterThan(2)
    expect(files).toEqual(
      expect.arrayContaining([
        "dist/files.js",
        "dist/files.d.ts",
        "dist/static/index.html",
        "dist/static/licenses.md",
        ...assets.flatMap((file) => [`${file}.br`, `${file}.gz`])
      ])
    )
    expect(files.filter((file) => !/^(dist\/(static\/|files\.)|README|LICENSE|package\.json)/.test(file))).toEqual([])
    const manifest = await run("tar", ["xzOf", tarballs.get("console") ?? "", "package/package.json"], folder)
    const { dependencies, peerDependencies } = JSON.parse(manifest.stdout)
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined])
    // An application that embeds the server has these files on disk, even if it does not serve them.
    const packed = (await readFile(tarballs.get("console") ?? "")).byteLength
    expect(packed).toBeLessThan(4_000_000)
    const licenses = await run(
      "tar",
      ["xzOf", tarballs.get("console") ?? "", "package/dist/static/licenses.md"],
      folder
    )
    for (const name of ["react", "@base-ui/react", "@tanstack/react-router"]) expect(licenses.stdout).toContain(name)
  })

  it("contain the CLI as one file", async () => {
    expect((await filesOf("cli")).filter((file) => file.endsWith(".js"))).toEqual(["dist/main.js"])
    const alone = join(folder, "alone.mjs")
    await writeFile(alone, await readFile(join(app, "node_modules/@orgplane/cli/dist/main.js")))
    const { stdout } = await run(process.execPath, [alone, "plugins", "--help"], folder, { HOME: folder })
    expect(stdout).toContain("orgplane plugins")
  })
})

describe("the installed packages", () => {
  it("have types that resolve for Node.js and for bundlers", async () => {
    await writeFile(
      join(app, "use.ts"),
      `import { createClient, type Plugin } from "@orgplane/client"
import { Orgplane } from "@orgplane/client/effect"
import { OrgplaneApi } from "@orgplane/schema/api"
import * as Plugins from "@orgplane/schema/plugins"
import { createEmbeddedClient } from "@orgplane/client/embedded"
import { Errors, Plugins as PluginsOfRoot } from "@orgplane/schema"
import { CodeHost, ControlPlane, toNodeHandler } from "@orgplane/server"

const client = createClient({ baseUrl: "http://localhost" })
export const plugin: Promise<Plugin> = client.plugins.get("plg_01h455vb4pex5vsknk084sn02q")
export const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
export const handler = toNodeHandler(controlPlane)
export const layer = ControlPlane.layer({ database: ControlPlane.postgres("postgres://localhost") })
export const embedded = createEmbeddedClient(controlPlane)
export const all = [Orgplane.layer, OrgplaneApi, Plugins.group, PluginsOfRoot.group, Errors.Forbidden, CodeHost]
// @ts-expect-error: there is no such operation
client.plugins.nothing()
`
    )
    for (const [module, moduleResolution] of [
      ["nodenext", "nodenext"],
      ["esnext", "bundler"]
    ]) {
      const options = { module, moduleResolution, target: "es2024", strict: true, noEmit: true, types: ["node"] }
      await writeFile(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }))
      await run("tsc", ["-p", app], app)
    }
  }, 120_000)

  it("have a client that CommonJS modules can require", async () => {
    await writeFile(
      join(app, "use.cts"),
      `import client = require("@orgplane/client")
import embedded = require("@orgplane/client/embedded")
export const plugin = (id: string): Promise<client.Plugin> =>
  client.createClient({ baseUrl: "http://localhost" }).plugins.get(id)
export const make: typeof embedded.createEmbeddedClient = embedded.createEmbeddedClient
`
    )
    const options = {
      module: "nodenext",
      moduleResolution: "nodenext",
      target: "es2024",
      strict: true,
      types: ["node"],
      outDir: "out"
    }
    await writeFile(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.cts"] }))
    await run("tsc", ["-p", app], app)
    const code = 'const { make } = require("./out/use.cjs"); console.log(typeof make)'
    expect((await run(process.execPath, ["--input-type=commonjs", "--eval", code], app)).stdout).toBe("function\n")
  }, 120_000)

  it("require Effect in a caret range, so that an application can use a later version", async () => {
    for (const name of ["schema", "client", "server"] as const) {
      const text = await readFile(join(app, `node_modules/@orgplane/${name}/package.json`), "utf8")
      const { dependencies = {}, peerDependencies } = JSON.parse(text) as {
        readonly dependencies?: Record<string, string>
        readonly peerDependencies: Record<string, string>
      }
      expect([name, dependencies["effect"], peerDependencies["effect"]]).toEqual([name, undefined, "^4.1.0"])
    }
  })

  it("state the required version of Node.js on an older one", async () => {
    const older = join(folder, "older.cjs")
    await writeFile(
      older,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.18.0" } })'
    )
    for (const [name, file] of [
      ["orgplane-server", "server/dist/bin.js"],
      ["orgplane", "cli/dist/main.js"]
    ] as const) {
      const program = join(app, "node_modules/@orgplane", file)
      await expect(run(process.execPath, ["--require", older, program, "--help"], app)).rejects.toThrow(
        `${name} requires Node.js 22.19 or newer, but the current version is 22.18.0.`
      )
    }
  })

  it("run the embedding example of the README", async () => {
    const code = await readmeCode("Embed it")
    const { stdout } = await run(process.execPath, ["--input-type=module-typescript", "--eval", code], app)
    expect(stdout).toBe("Reviewer 1\n")
  }, 120_000)

  /** Starts the installed program with a data directory. */
  const startServer = async (data: string) => {
    const server = spawn(join(app, "node_modules/.bin/orgplane-server"), [], {
      cwd: app,
      env: { PATH: environment.PATH, ORGPLANE_PORT: "0", ORGPLANE_DATA_DIR: data, ORGPLANE_LOG_LEVEL: "warn" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    running.push(server)
    let [out, err] = ["", ""]
    const baseUrl = await new Promise<string>((resolve, reject) => {
      server.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
      server.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString()
        const url = /orgplane serves (http:\S+)/.exec(out)?.[1]
        if (url !== undefined) resolve(url)
      })
      server.once("exit", (code) => reject(new Error(`The server exited with code ${code}. ${err}`)))
    })
    const stop = async () => {
      const exited = new Promise<number | null>((resolve) => server.once("exit", resolve))
      server.kill("SIGTERM")
      return exited
    }
    return { baseUrl, output: () => out, errors: () => err, stop }
  }

  it("serve the console, and say on its page and in the log if its package is missing", async () => {
    const data = join(folder, "console-data")
    const serving = await startServer(data)
    const url = `${serving.baseUrl}/console/`
    expect(serving.output()).toContain(`  console  ${url}\n`)
    await expect.poll(async () => (await fetch(url)).status).toBe(200)
    const [, script = ""] = /src="\.\/(assets\/[\w.-]+\.js)"/.exec(await (await fetch(url)).text()) ?? []
    expect((await fetch(url + script)).headers.get("content-type")).toContain("javascript")
    expect([serving.errors(), await serving.stop()]).toEqual(["", 0])

    const installed = join(app, "node_modules/@orgplane/console")
    await rename(installed, join(folder, "console-aside"))
    try {
      const failing = await startServer(data)
      const page = () => fetch(`${failing.baseUrl}/console/`)
      await expect.poll(async () => (await page()).headers.get("retry-after")).toBe(null)
      const response = await page()
      const text = await response.text()
      expect([response.status, text.includes("refresh")]).toEqual([503, false])
      expect(text).toContain("The console is not installed on this server. The API is not affected.")
      expect((await fetch(`${failing.baseUrl}/v1/health`)).status).toBe(200)
      expect(await failing.stop()).toBe(0)
      expect(
        failing
          .errors()
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
      ).toMatchObject([
        {
          level: "error",
          message:
            "The console cannot be served: the package @orgplane/console is not installed. Install it, or set ORGPLANE_CONSOLE to false."
        }
      ])
    } finally {
      await rename(join(folder, "console-aside"), installed)
    }
  }, 180_000)

  it("start a demo server that the client and the CLI can use, and that stops on SIGTERM", async () => {
    const data = join(folder, "data")
    const { baseUrl, stop } = await startServer(data)
    const { ownerToken } = JSON.parse(await readFile(join(data, "seed.json"), "utf8")) as {
      readonly ownerToken: string
    }
    const env = { ...environment, ORGPLANE_TOKEN: ownerToken, ORGPLANE_BASE_URL: baseUrl, HOME: folder }

    const code = (await readmeCode("Call it")).replaceAll("http://127.0.0.1:8787", baseUrl)
    const clientRun = await run(process.execPath, ["--input-type=module-typescript", "--eval", code], app, env)
    expect(clientRun.stdout).toContain("Release train\n")
    expect(clientRun.stdout.trimEnd().split("\n").at(-1)).toBe("Reviewer true")

    const program = join(app, "node_modules/.bin/orgplane")
    expect((await run(program, ["--help"], app, env)).stdout).toContain("EXIT CODES")
    expect((await run(program, ["plugins", "list"], app, env)).stdout).toContain("Incident review")

    expect(await stop()).toBe(0)
  }, 180_000)
})
