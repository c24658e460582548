/** Removes the workers that are selected in the list, and upgrades their runtimes, one after another. */
import type { Worker } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { Impacts, impactsMax } from "../../design/impacts.tsx"
import { plural } from "../../design/text.ts"
import { removalChanges, useManagesWorker, WorkersRemoval } from "./worker-removal.tsx"

const namedMax = 20

const nameOf = ({ name }: Worker) => name

/** Which of the runtimes receive the request. The others reject it. */
const Upgraded = ({ workers }: { readonly workers: ReadonlyArray<Worker> }) => (
  <>
    <p>
      Each runtime that is running receives one request to upgrade itself, and decides how. Tasks that it runs may be
      interrupted.
    </p>
    <Impacts name="worker-runtimes" rows={workers} impactOf={({ id }, signal) => client.workers.get(id, { signal })}>
      {(impacts) => {
        const running = impacts.filter(([, { instance }]) => instance?.status === "running")
        const otherCount = impacts.length - running.length
        return (
          <>
            {running.length > 0 && (
              <ul className="facts" aria-label="Running runtimes">
                {running.slice(0, namedMax).map(([{ id, name }, { worker }]) => (
                  <li key={id}>
                    <strong>{name}</strong>
                    {worker.imageVersion !== null && `: version ${worker.imageVersion}`}
                  </li>
                ))}
                {running.length > namedMax && <li className="muted">{running.length - namedMax} more</li>}
              </ul>
            )}
            {otherCount > 0 && (
              <p>{plural(otherCount, "runtime is", "runtimes are")} not running, and cannot be upgraded now.</p>
            )}
          </>
        )
      }}
    </Impacts>
  </>
)

export const WorkersBulk = ({
  clear,
  workers
}: {
  readonly workers: ReadonlyArray<Worker>
  readonly clear: () => void
}) => {
  const managed = workers.filter(useManagesWorker())
  const provided = managed.filter(({ destination }) => destination === "cloud")
  const otherCount = workers.length - managed.length
  return (
    <>
      <BulkButton
        action="Remove"
        done="removed"
        isDangerous
        nouns={["worker", "workers"]}
        rows={managed}
        max={impactsMax}
        clear={clear}
        nameOf={nameOf}
        changes={removalChanges}
        work={({ id }) => client.workers.remove(id)}
        consequences={<WorkersRemoval workers={managed} />}
      />
      {/* Only this installation's own runtimes can be upgraded. */}
      {provided.length > 0 && (
        <BulkButton
          action="Upgrade"
          label="Upgrade the runtimes"
          done="asked to upgrade"
          nouns={["runtime", "runtimes"]}
          rows={provided}
          max={impactsMax}
          clear={clear}
          nameOf={nameOf}
          changes={["workers"]}
          work={({ id }) => client.workers.upgradeRuntime(id)}
          consequences={<Upgraded workers={provided} />}
        />
      )}
      {otherCount > 0 && (
        <span className="muted">
          {otherCount === 1
            ? "1 worker belongs to another member. Only that member, and owners and admins of the organization, can change it."
            : `${otherCount} workers belong to other members. Only those members, and owners and admins of the organization, can change them.`}
        </span>
      )}
    </>
  )
}
