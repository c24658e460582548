/**
 * The way of a new user, from an empty folder: install the packages from a registry, embed the server, use the client, the
 * command line, and automation. The packages are published to a registry on this machine.
 */
import { once } from "node:events"
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../test/free-port.ts"
import { packedPackages } from "../scripts/packed-packages.ts"
import { fileOf } from "./programs.ts"
import { runProgram, startProgram, startRegistry, stopPrograms } from "./registry.fixture.ts"

const root = join(import.meta.dirname, "..")
const folder = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-journey-")))
const home = join(folder, "home")
const app = join(folder, "app")
let tarballs: ReadonlyMap<string, string>

/** How this machine reaches the network. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_\w+)$/iu.test(name)
  )
)

/** The environment of a user: no settings of the package manager that runs this test. */
const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...network,
  PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
  HOME: home,
  NO_COLOR: "1",
  ...more
})

const run = (command: string, args: ReadonlyArray<string>, cwd = app, env = environment()) =>
  runProgram(command, args, { cwd, env })

const start = (program: string, args: ReadonlyArray<string>, line: RegExp, env = environment(), cwd = app) =>
  startProgram(program, args, line, { cwd, env })

const startedAt = Date.now()
const clock: Array<string> = []
/** Runs a step, and records the time on the clock of the user. */
const step = async <A>(title: string, work: () => Promise<A>): Promise<A> => {
  const began = Date.now()
  const result = await work()
  clock.push(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${title}`)
  return result
}

beforeAll(async () => {
  for (const path of [home, app]) mkdirSync(path)
  const env = { ...process.env, PATH: environment()["PATH"] ?? "" }
  tarballs = await packedPackages()
  const registry = await startRegistry(folder, join(home, ".npmrc"), env)
  for (const file of tarballs.values()) {
    await run("npm", ["publish", file, "--registry", registry, "--provenance=false", "--access", "public"])
  }
}, 600_000)

afterAll(async () => {
  await stopPrograms()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  console.log(
    [`The journey of a new user, ${((Date.now() - startedAt) / 1000).toFixed(0)} s with builds:`, ...clock].join("\n")
  )
})

describe("the types of the published packages", () => {
  /** Fails if the program reports a problem. */
  const attw = (name: string, ...args: ReadonlyArray<string>) => {
    const program = fileOf("@arethetypeswrong/cli", "dist/index.js")
    return run(process.execPath, [program, tarballs.get(name) ?? "", "--format", "ascii", ...args], folder)
  }

  it("are right for ES modules and CommonJS in the client", async () => {
    expect(await attw("client", "--profile", "node16", "--exclude-entrypoints", "effect")).toContain("🟢")
    expect(await attw("client", "--profile", "esm-only", "--entrypoints", "effect")).toContain("🟢")
  })

  it("are right for ES modules in the schema and the server", async () => {
    expect(await attw("schema", "--profile", "esm-only", "--entrypoints", ".")).toContain("🟢")
    expect(await attw("server", "--profile", "esm-only")).toContain("🟢")
  })
})

describe("a new user", () => {
  it("embeds the server in an application", async () => {
    await run("npm", ["init", "-y"])
    await run("npm", ["pkg", "set", "type=module"])
    await step("npm install @orgplane/server @orgplane/client effect", () =>
      run("npm", ["install", "@orgplane/server", "@orgplane/client", "effect"])
    )
    writeFileSync(
      join(app, "embed.mjs"),
      `import { createEmbeddedClient } from "@orgplane/client/embedded"
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
const { session } = await createEmbeddedClient(controlPlane).bootstrap.workspace({ workspaceName: "Acme" })
const orgplane = createEmbeddedClient(controlPlane, { token: session.token })
await orgplane.plugins.create({ name: "Code review" })
for await (const plugin of orgplane.plugins.list()) console.log(plugin.name)
await controlPlane.dispose()
`
    )
    expect(await step("embed: create and list a plugin in process", () => run("node", ["embed.mjs"]))).toBe(
      "Code review\n"
    )
  }, 600_000)

  it("starts a server, and uses the client, the command line and automation", async () => {
    await step("npm install @orgplane/cli", () => run("npm", ["install", "@orgplane/cli"]))
    const bin = join(app, "node_modules/.bin")
    const port = await freePort()
    const { match } = await step("server: orgplane-server serves", () =>
      start(
        join(bin, "orgplane-server"),
        [],
        /serves (\S+)/u,
        environment({ ORGPLANE_PORT: String(port), ORGPLANE_SEED: "none" })
      )
    )
    const baseUrl = match[1] ?? ""
    const reference = await fetch(`${baseUrl}/docs?group=plugins`)
    expect([reference.status, (await reference.text()).includes("orgplane plugins create")]).toEqual([200, true])
    writeFileSync(
      join(app, "sdk.mjs"),
      `import { createClient } from "@orgplane/client"

const { session } = await createClient().bootstrap.workspace({ workspaceName: "Acme" })
const orgplane = createClient({ token: session.token })
await orgplane.teams.create({ name: "Platform" })
console.log(session.token)
`
    )
    const token = (
      await step("SDK: create a team", () => run("node", ["sdk.mjs"], app, environment({ ORGPLANE_BASE_URL: baseUrl })))
    ).trim()
    const env = environment({ ORGPLANE_BASE_URL: baseUrl, ORGPLANE_TOKEN: token })
    const orgplane = join(bin, "orgplane")
    const status = await step("CLI: auth status", () =>
      run(orgplane, ["auth", "status", "--json", "organization,role"], app, env)
    )
    expect(JSON.parse(status)).toEqual({ organization: "Acme", role: "owner" })
    writeFileSync(
      join(app, "automate.sh"),
      `set -eu
for name in "Code review" "Incident review"; do orgplane plugins create --name "$name" -q; done > ids.txt
orgplane plugins list --jq '.[].name' | sort
while read -r id; do orgplane plugins grant-access "$id" --team-id Platform --role viewer -q > /dev/null; done < ids.txt
orgplane plugins list-access "Code review" --jq 'map(.role) | sort | join(",")'
`
    )
    const automation = await step("automation: a shell script creates, lists and shares plugins", () =>
      run("sh", ["automate.sh"], app, { ...env, PATH: `${bin}:${env["PATH"] ?? ""}` })
    )
    expect(automation).toBe("Code review\nIncident review\nmanager,viewer\n")
  }, 600_000)
})

describe("recipes for frameworks that build the application", () => {
  /** A copy of a recipe, with its framework and the packages from the registry. */
  const installRecipe = async (name: string, packages: ReadonlyArray<string>) => {
    const host = join(folder, name)
    cpSync(join(root, "examples/embed", name), host, { recursive: true })
    await run("npm", ["init", "-y"], host)
    await run("npm", ["pkg", "set", "type=module"], host)
    const own = ["@orgplane/server", "@orgplane/client", "effect"]
    await step(`${name}: npm install`, () => run("npm", ["install", ...own, ...packages], host))
    return host
  }

  /** Signs in and creates a plugin over HTTP. Returns a function that reads the plugins through a route of the host. */
  const drive = async (baseUrl: string) => {
    expect(await (await fetch(baseUrl)).text()).toContain("our home page")
    const post = (path: string, body: unknown, token?: string) =>
      fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
        },
        body: JSON.stringify(body)
      })
    const response = await post("/orgplane/v1/bootstrap/workspace", { workspaceName: "Acme" })
    const { session } = (await response.json()) as { readonly session: { readonly token: string } }
    expect((await post("/orgplane/v1/plugins", { name: "Reviewer" }, session.token)).status).toBe(201)
    expect((await fetch(`${baseUrl}/v1/plugins`)).status).toBe(404)
    const authorization = `Bearer ${session.token}`
    return async () => (await fetch(`${baseUrl}/team/plugins`, { headers: { authorization } })).json()
  }

  it("serve the control plane from route handlers of Next.js, and keep it over a hot reload", async () => {
    const host = await installRecipe("next", ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"])
    const port = await freePort()
    const next = [join(host, "node_modules/next/dist/bin/next"), "dev", "-p", String(port), "-H", "127.0.0.1"]
    const env = environment({ NEXT_TELEMETRY_DISABLED: "1" })
    const { child } = await step("next: dev server", () => start(process.execPath, next, /Ready in/u, env, host))
    const plugins = await drive(`http://127.0.0.1:${port}`)
    expect(await plugins()).toEqual(["Reviewer"])
    // Both modules run again, and the control plane in memory is still the same.
    const route = join(host, "app/team/plugins/route.js")
    const edited = readFileSync(route, "utf8").replace("map(({ name }) => name)", "map(({ name }) => `${name}!`)")
    appendFileSync(join(host, "control-plane.js"), "// Edited.\n")
    writeFileSync(route, edited)
    await expect.poll(plugins, { timeout: 60_000, interval: 200 }).toEqual(["Reviewer!"])
    child.kill("SIGTERM")
  }, 600_000)

  it("serve the control plane from an endpoint of SvelteKit, built for Node.js", async () => {
    const host = await installRecipe("sveltekit", [
      "@sveltejs/kit@3.2.0",
      "@sveltejs/adapter-node@6.0.1",
      "@sveltejs/vite-plugin-svelte@7",
      "svelte@5.57.3",
      "vite@8.3.8"
    ])
    const vite = join(host, "node_modules/vite/bin/vite.js")
    await step("sveltekit: build", () => run(process.execPath, [vite, "build"], host))
    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}`
    const env = environment({ PORT: String(port), HOST: "127.0.0.1", ORIGIN: baseUrl })
    const { child } = await start(process.execPath, ["build"], /Listening on/u, env, host)
    const plugins = await drive(baseUrl)
    expect(await plugins()).toEqual(["Reviewer"])
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    expect(await ended).toEqual([0, null])
  }, 600_000)
})
