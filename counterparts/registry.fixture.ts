/** Programs of a user, and a package registry on this machine. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort } from "../test/free-port.ts"
import { fileOf } from "./programs.ts"

interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs a program, and returns its output. */
export const runProgram = async (command: string, args: ReadonlyArray<string>, place: Place): Promise<string> => {
  try {
    return (await promisify(execFile)(command, args, { ...place, maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${args.join(" ")} failed.\n${stdout ?? ""}\n${stderr ?? ""}`, { cause: error })
  }
}

const children: Array<ChildProcess> = []

/** Starts a program, and waits for a line. */
export const startProgram = async (program: string, args: ReadonlyArray<string>, line: RegExp, place: Place) => {
  const child = spawn(program, args, { ...place, stdio: ["ignore", "pipe", "pipe"] })
  children.push(child)
  let output = ""
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    const read = (bytes: Buffer) => {
      output += String(bytes)
      const result = line.exec(output)
      if (result !== null) resolve(result)
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}:\n${output}`)))
  })
  return { child, match }
}

/** Stops the programs that still run. */
export const stopPrograms = async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGTERM")) await once(child, "exit")
  }
}

/**
 * Starts a registry for the packages of this repository, with its files in a folder, and writes the settings with which
 * npm uses it. Returns its URL. Other packages come from the registry that npm is configured for.
 */
export const startRegistry = async (folder: string, npmrc: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const settingOf = async (name: string) =>
    (await runProgram("npm", ["config", "get", name], { cwd: folder, env })).trim()
  const [upstream, cache] = await Promise.all([settingOf("registry"), settingOf("cache")])
  const port = await freePort()
  const config = {
    storage: join(folder, "storage"),
    uplinks: {},
    packages: { "@orgplane/*": { access: "$all", publish: "$all" } },
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    log: { type: "stdout", format: "pretty", level: "warn" }
  }
  writeFileSync(join(folder, "verdaccio.yaml"), JSON.stringify(config))
  const verdaccio = [fileOf("verdaccio", "bin/verdaccio"), "--config", join(folder, "verdaccio.yaml")]
  const args = [...verdaccio, "--listen", `127.0.0.1:${port}`]
  await startProgram(process.execPath, args, /http address/u, { cwd: folder, env })
  const registry = `http://127.0.0.1:${port}/`
  const registries = [
    `registry=${upstream}`,
    `@orgplane:registry=${registry}`,
    `//127.0.0.1:${port}/:_authToken=nobody`
  ]
  // What this machine has downloaded before is not downloaded again.
  const settings = ["fund=false", "audit=false", "update-notifier=false", `cache=${cache}`, "prefer-offline=true"]
  writeFileSync(npmrc, `${[...registries, ...settings].join("\n")}\n`)
  return registry
}
