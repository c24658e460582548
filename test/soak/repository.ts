import { join } from "node:path"
import { commit, gitDirOf, makeRepository, readRefs, writeRef } from "../fixtures/git.ts"
import { readObject, treeItems } from "../fixtures/git-objects.ts"
import type { Chances } from "./random.ts"

/** An imported file of a commit. */
export interface SourceFile {
  readonly plugin: string
  readonly objectType: string
  readonly path: string
  readonly text: string
  readonly sha: string
}

export interface Revision {
  readonly listed: ReadonlyArray<string>
  /** Files of listed plugins by path. */
  readonly files: ReadonlyMap<string, SourceFile>
  /** All files of the commit. */
  readonly filesScanned: number
}

const manifestPath = ".claude-plugin/marketplace.json"
const names = ["alpha", "beta", "gamma", "delta"]
const main = "refs/heads/main"
const folders = [
  { folder: "commands", objectType: "command" },
  { folder: "agents", objectType: "agent" },
  { folder: "skills", objectType: "skill" }
] as const
/** Limits for the files of a plugin: they fit on one page of a list, and there is always at least one. */
const filesMax = 60
const filesMin = 3

const manifestOf = (listed: ReadonlyArray<string>) =>
  JSON.stringify({
    name: "soak",
    owner: { name: "Soak" },
    plugins: listed.map((name) => ({ name, source: `./plugins/${name}` }))
  })

const leavesOf = (gitDir: string, tree: string, prefix = ""): ReadonlyArray<readonly [path: string, sha: string]> =>
  treeItems(readObject(gitDir, tree).data).flatMap((item) => {
    const path = `${prefix}${item.name.toString()}`
    return item.mode === "40000" ? leavesOf(gitDir, item.sha, `${path}/`) : [[path, item.sha] as const]
  })

/** A repository with random changes. The content of a commit is always read from its tree. */
export const makeSource = (dir: string, chances: Chances, filesEach: number) => {
  const gitDir = () => gitDirOf(dir)
  let count = 0
  const text = (path: string) => {
    count += 1
    const name = `t${count}`
    return `---\nname: ${name}\ndescription: Text ${count}.\n---\n# ${path}\n\n${`Text ${count}. `.repeat(1 + chances.nat(40))}\n`
  }
  const freshPath = (plugin: string) => {
    count += 1
    const { folder } = chances.pick(folders) ?? folders[0]
    return join("plugins", plugin, folder, folder === "skills" ? `f${count}/SKILL.md` : `f${count}.md`)
  }

  const revisions = new Map<string, Revision>()
  const read = (sha: string): Revision => {
    const tree = readObject(gitDir(), sha).data.toString("latin1").slice(5, 45)
    const leaves = leavesOf(gitDir(), tree)
    const content = (blob: string) => readObject(gitDir(), blob).data.toString()
    const manifest = leaves.find(([path]) => path === manifestPath)
    const parsed = JSON.parse(content(manifest?.[1] ?? "")) as { plugins: ReadonlyArray<{ name: string }> }
    const listed = parsed.plugins.map(({ name }) => name)
    const files = leaves.flatMap(([path, blob]): ReadonlyArray<readonly [string, SourceFile]> => {
      const [, plugin = "", folder] = path.split("/")
      const objectType = folders.find((row) => row.folder === folder)?.objectType
      if (!listed.includes(plugin) || objectType === undefined) return []
      return [[path, { plugin, objectType, path, text: content(blob), sha: blob }]]
    })
    return { listed, files: new Map(files), filesScanned: leaves.length }
  }
  const at = (sha: string): Revision => {
    const revision = revisions.get(sha) ?? read(sha)
    revisions.set(sha, revision)
    return revision
  }

  const first = names.slice(0, 3)
  const initial = Object.fromEntries(
    names.flatMap((plugin) =>
      Array.from({ length: filesEach }, () => {
        const path = freshPath(plugin)
        return [path, text(path)] as const
      })
    )
  )
  makeRepository(dir, { [manifestPath]: manifestOf(first), ...initial })
  const head = () => readRefs(dir).get(main) ?? ""
  const heads: Array<string> = [head()]

  /** The changes of one commit; files of unlisted plugins stay unchanged. */
  const changeSome = (revision: Revision): Readonly<Record<string, string | null>> => {
    const changes: Record<string, string | null> = {}
    const left = new Map([...revision.files].map(([path, file]) => [path, file.plugin]))
    const ofPlugin = (plugin: string) => [...left].filter(([, name]) => name === plugin).map(([path]) => path)
    const remove = (path: string) => {
      const plugin = left.get(path)
      if (plugin === undefined || ofPlugin(plugin).length <= filesMin) return false
      left.delete(path)
      changes[path] = null
      return true
    }
    const many = chances.isOne(0.08)
    for (let times = 1 + chances.nat(8); times > 0; times -= 1) {
      const path = chances.pick([...left.keys()])
      if (path === undefined) break
      const plugin = left.get(path) ?? ""
      const kind = chances.nat(6)
      if (many || kind === 0) {
        for (let removed = many ? 12 : 1; removed > 0; removed -= 1) remove(chances.pick([...left.keys()]) ?? "")
      } else if (kind === 1 && ofPlugin(plugin).length < filesMax) {
        const fresh = freshPath(plugin)
        changes[fresh] = text(fresh)
      } else if (kind === 2) {
        // Within its plugin or to another one, with unchanged content.
        const moved = freshPath(chances.isOne(0.7) ? plugin : (chances.pick(revision.listed) ?? plugin))
        const file = revision.files.get(path)
        if (file !== undefined && changes[path] === undefined && remove(path)) changes[moved] = file.text
      } else if (left.has(path)) {
        changes[path] = text(path)
      }
    }
    if (chances.isOne(0.12)) {
      const name = chances.pick(names) ?? ""
      const listed = revision.listed.includes(name)
        ? revision.listed.filter((other) => other !== name)
        : [...revision.listed, name]
      if (listed.length >= 2) changes[manifestPath] = manifestOf(listed)
    }
    return changes
  }

  /** Moves the branch: forward by one or more commits, or back to an earlier commit. */
  const push = (): { readonly sha: string; readonly isForced: boolean } => {
    const isForced = chances.isOne(0.15)
    if (isForced) writeRef(dir, main, chances.pick(heads.slice(-8)) ?? head())
    const commits = isForced ? chances.nat(2) : 1 + (chances.isOne(0.3) ? chances.nat(4) : 0)
    for (let count = 0; count < commits; count += 1) {
      const changes = changeSome(at(head()))
      const sha = commit(dir, Object.keys(changes).length === 0 ? { "NOTES.md": `${(count += 1)}\n` } : changes)
      heads.push(sha)
    }
    return { sha: head(), isForced }
  }

  return { dir, at, head, push } as const
}
export type Source = ReturnType<typeof makeSource>
