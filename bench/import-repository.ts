import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Runs git without user settings, and fails with its error output. */
export const git = (dir: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync("git", ["-C", dir, ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 1_048_576,
    env: {
      PATH: process.env["PATH"],
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "bench",
      GIT_AUTHOR_EMAIL: "bench@example.com",
      GIT_COMMITTER_NAME: "bench",
      GIT_COMMITTER_EMAIL: "bench@example.com"
    }
  })
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}${stdout}`)
  return stdout
}

const words = "agents read write review release deploy service incident ticket summary change plan check report".split(
  " "
)

/** A reproducible text of about a kilobyte, like an instruction for an agent. */
const textOf = (title: string, seed: number): string => {
  let state = seed + 1
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  const line = () => Array.from({ length: 11 }, () => words[next() % words.length]).join(" ")
  const body = Array.from({ length: 12 }, line).join("\n")
  return `---\nname: ${title}\ndescription: ${line()}\n---\n# ${title}\n\n${body}\n`
}

const folders = ["skills", "commands", "agents"] as const

export type RepositoryFile = readonly [path: string, text: string]

/** The files of one plugin: of each ten, five skills, three commands and two agents. */
const filesOf = (plugin: number, count: number): ReadonlyArray<RepositoryFile> =>
  Array.from({ length: count }, (_, file) => {
    const folder = folders[file % 10 < 5 ? 0 : file % 10 < 8 ? 1 : 2] as string
    const title = `${folder.slice(0, -1)}-${file}`
    const name = folder === "skills" ? `${title}/SKILL.md` : `${title}.md`
    return [`plugins/p${plugin}/${folder}/${name}`, textOf(title, plugin * 1000 + file)] as const
  })

/** The first files of the repository, each of a different plugin as long as there are enough plugins. */
export const firstFiles = (plugins: number, files: number, count: number): ReadonlyArray<RepositoryFile> => {
  const chosen: Array<RepositoryFile> = []
  for (let file = 0; file < files && chosen.length < count; file += 1) {
    for (let plugin = 0; plugin < plugins && chosen.length < count; plugin += 1) {
      chosen.push(...filesOf(plugin, file + 1).slice(file))
    }
  }
  return chosen
}

/** Creates a repository with a marketplace of plugins, in one pack. */
export const makeRepository = async (plugins: number, files: number): Promise<string> => {
  const dir = mkdtempSync(join(tmpdir(), "orgplane-bench-"))
  git(dir, "init", "-q", "-b", "main")
  const importer = spawn("git", ["-C", dir, "fast-import", "--quiet"], { stdio: ["pipe", "inherit", "inherit"] })
  const write = (text: string) => importer.stdin.write(text)
  const put = (path: string, text: string) =>
    write(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
  write("commit refs/heads/main\ncommitter bench <bench@example.com> 1700000000 +0000\ndata 5\nfirst\n")
  const entries = Array.from({ length: plugins }, (_, plugin) => ({
    name: `p${plugin}`,
    source: `./plugins/p${plugin}`,
    description: `Plugin ${plugin}`
  }))
  put(".claude-plugin/marketplace.json", JSON.stringify({ name: "bench", owner: { name: "Bench" }, plugins: entries }))
  for (let plugin = 0; plugin < plugins; plugin += 1) {
    for (const [path, text] of filesOf(plugin, files)) put(path, text)
    if (plugin % 100 === 0 && importer.stdin.writableNeedDrain) await once(importer.stdin, "drain")
  }
  importer.stdin.end("\n")
  const [code] = await once(importer, "exit")
  if (code !== 0) throw new Error("git fast-import failed.")
  git(dir, "repack", "-a", "-d", "-q")
  return dir
}

/** Commits a change of these files. The mark makes their text differ from that of other changes. */
export const changeFiles = (dir: string, mark: string, files: ReadonlyArray<RepositoryFile>): void => {
  git(dir, "reset", "-q", "--hard")
  for (const [path, text] of files) writeFileSync(join(dir, path), `${text}\n${mark}\n`)
  git(dir, "commit", "-q", "-a", "-m", mark)
}
