import { type Connected, connect, repositoryIn, until } from "../content/connectors.fixture.ts"
import { makeWorkspace, type Person, type TestPlane, type Workspace } from "../harness.ts"
import type { Files } from "../../../../test/fixtures/git.ts"

export type Run = Awaited<ReturnType<Person["client"]["configurationRuns"]["get"]>>
type Set = Parameters<Person["client"]["configurationSource"]["set"]>[0]

export const isEnded = ({ status }: Pick<Run, "status">) => status !== "queued" && status !== "running"

export const runsOf = async (person: Person) => {
  const runs: Array<Awaited<ReturnType<typeof person.client.configurationRuns.list>>["items"][number]> = []
  for await (const run of person.client.configurationRuns.list()) runs.push(run)
  return runs
}

/** Waits until the newest run of the organization has ended, and there are this many. */
export const ended = async (person: Person, count: number): Promise<Run> => {
  let attempts = 0
  const [newest] = await until(
    () => runsOf(person),
    (runs) => {
      attempts += 1
      if (attempts > 200) throw new Error(JSON.stringify(runs, null, 1))
      return runs.length >= count && runs.every(isEnded)
    }
  )
  return person.client.configurationRuns.get(newest?.id ?? "")
}

/** Like `ended`, and waits until the code host has the outcome. */
export const reported = async (person: Person, count: number): Promise<Run> => {
  const { id } = await ended(person, count)
  return until(
    () => person.client.configurationRuns.get(id),
    ({ commitStatus }) => commitStatus?.result !== "pending"
  )
}

export interface Configured extends Connected {
  readonly owner: Workspace
  readonly dir: string
}

/** A connected repository with these files. */
export const repositoryWith = async (plane: TestPlane, files: Files): Promise<Configured> => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, files)
  return { owner, dir, ...(await connect(owner, `file://${dir}`)) }
}

export const setSource = ({ instance, owner }: Configured, more: Partial<Set> = {}) =>
  owner.client.configurationSource.set({ connectorInstanceId: instance.id, mode: "apply", ...more })

/** Teams with these keys, as YAML. */
export const teams = (...keys: ReadonlyArray<string>) =>
  `version: 1\nteams:\n${keys.map((key) => `  - key: ${key}\n    name: Team ${key}\n`).join("")}`
