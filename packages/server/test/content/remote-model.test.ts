import { describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { integrityOf, sha256Of, tarGz, zipOf } from "./archives.fixture.ts"
import { connect, contents, ended, imported, repositoryIn, skill, synced } from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { below, chance, hosts, marketplaceOf, serveElsewhere } from "./remote.fixture.ts"

const elsewhere = await serveElsewhere()
const plane = await makeControlPlane({ remoteSources: elsewhere.sources })

type Texts = Readonly<Record<string, string>>
const formsOfModel = ["local", "github", "npm", "tar.gz", "zip"] as const

interface Model {
  form: (typeof formsOfModel)[number]
  files: Texts
  isListed: boolean
  /** Its pin belongs to another file. */
  isBroken: boolean
  /** The expected content in the organization; null if none. */
  has: Texts | null
}

let serial = 0

/** Places a plugin in its source; returns the source and the files of the listing repository. */
const place = async (name: string, { files, form, isBroken }: Model): Promise<readonly [unknown, Texts]> => {
  serial += 1
  const other = Buffer.from(`${serial}`)
  switch (form) {
    case "local":
      return [`./plugins/${name}`, below(`plugins/${name}`, files) as Texts]
    case "github": {
      const repo = `model/${name}-${serial}`
      const sha = elsewhere.repository(repo, files)
      return [{ source: "github", repo, sha: isBroken ? sha.replaceAll(/./g, "0") : sha }, {}]
    }
    case "npm": {
      const version = `1.0.${serial}`
      const integrity = elsewhere.publish(name, version, await tarGz(files, "package/"))
      return [{ source: "npm", package: name, version, integrity: isBroken ? integrityOf(other) : integrity }, {}]
    }
    default: {
      const path = `/${name}-${serial}.${form}`
      const sha256 = elsewhere.file(path, form === "zip" ? zipOf(files) : await tarGz(files))
      const url = `https://${hosts.files}${path}`
      return [{ source: "archive", url, sha256: isBroken ? sha256Of(other) : sha256 }, {}]
    }
  }
}

const run = async (seed: number, steps: number) => {
  const next = chance(seed)
  const names = Array.from({ length: 8 }, (_, index) => `m${seed}-${index}`)
  const filesOf = (name: string): Texts => ({
    [`skills/${name}/SKILL.md`]: skill(name, `Text ${next(1e6)}.`),
    "commands/go.md": `# Go ${next(3)}\n`,
    ...(next(2) === 0 ? { [`skills/${name}/notes.md`]: `Notes ${next(1e6)}.\n` } : {})
  })
  const pick = <A>(all: ReadonlyArray<A>): A => {
    const one = all[next(all.length)]
    if (one === undefined) throw new Error("Nothing to choose from.")
    return one
  }
  const model = new Map(
    names.map((name): [string, Model] => [
      name,
      { form: pick(formsOfModel), files: filesOf(name), isListed: true, isBroken: false, has: null }
    ])
  )
  const placed = new Map<string, readonly [unknown, Texts]>()
  let own: Texts = {}
  const files = async (changed: ReadonlyArray<string>) => {
    for (const name of changed) placed.set(name, await place(name, model.get(name) ?? pick([...model.values()])))
    const listed = [...model].filter(([, { isListed }]) => isListed).map(([name]) => name)
    const wanted: Texts = Object.assign({}, ...listed.map((name) => placed.get(name)?.[1] ?? {}))
    const removedPaths = Object.keys(own).filter((path) => !(path in wanted))
    own = wanted
    const entries = listed.map((name) => ({ name, source: placed.get(name)?.[0] }))
    return { ...Object.fromEntries(removedPaths.map((path) => [path, null])), ...wanted, ...marketplaceOf(entries) }
  }
  const settle = () => {
    for (const one of model.values()) {
      if (!one.isListed) one.has = null
      else if (!one.isBroken) one.has = one.files
    }
  }
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, await files(names))
  const connected = await connect(owner, dir)
  const { syncEvent } = await imported(owner, connected, { autoImportNewPlugins: true })
  expect((await ended(owner, syncEvent.id)).status).toBe("completed")
  settle()

  for (let step = 0; step < steps; step++) {
    const changed = new Set<string>()
    // Only a few at a time: removing a third of everything would require approval.
    for (let times = 1 + next(2); times > 0; times--) {
      const name = pick(names)
      const one = model.get(name)
      if (one === undefined) continue
      changed.add(name)
      const deed = next(5)
      if (deed === 0 && changed.size === 1) one.isListed = !one.isListed
      else if (deed === 1) one.form = pick(formsOfModel)
      else if (deed === 2) one.isBroken = !one.isBroken
      else one.files = filesOf(name)
      if (one.form === "local") one.isBroken = false
    }
    commit(dir, await files([...changed]))
    const event = await synced(owner, connected)
    settle()
    const broken = [...model.values()].some(({ isBroken, isListed }) => isBroken && isListed)
    expect([seed, step, event.status]).toEqual([seed, step, broken ? "partial" : "completed"])
    const expected = [...model].flatMap(([name, { has }]) =>
      has === null ? [] : [[name, Object.values(has).toSorted()]]
    )
    const seen = Object.entries(await contents(owner)).map(([name, texts]) => [name, Object.values(texts).toSorted()])
    expect([seed, step, Object.fromEntries(seen)]).toEqual([seed, step, Object.fromEntries(expected)])
  }
}

describe("any sequence of changed, broken, repaired, moved, delisted and relisted pins", () => {
  it.each([1, 2, 3])("leaves each plugin with its last readable content: seed %i", (seed) => run(seed, 12))
})
