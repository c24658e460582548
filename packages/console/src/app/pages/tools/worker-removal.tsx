/** What the removal of workers ends, for one of them and for several. */
import type { Worker } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { useOwnPermissions } from "../../api/permissions.ts"
import { Impacts } from "../../design/impacts.tsx"
import { plural } from "../../design/text.ts"
import { Notice } from "../../design/ui.tsx"

/** First parts of the keys of queries that a removal changes. The devices of a worker are removed with it. */
export const removalChanges = ["workers", "delivery"]

const namedMax = 10

/** Only the owner of a worker, and owners and admins of the organization, can change it. */
export const useManagesWorker = (): ((worker: Worker) => boolean) => {
  const own = useOwnPermissions()
  // If it cannot be read, the API decides.
  const managesAll = own.isError || own.data?.managesAllObjects === true
  return ({ isMine }) => isMine || managesAll
}

/** The workers that report, whose tasks end. Others run nothing. */
const Running = ({ workers }: { readonly workers: ReadonlyArray<Worker> }) =>
  workers.length === 0 ? (
    <p>None of them is healthy.</p>
  ) : (
    <Notice tone="warn" title={`${plural(workers.length, "worker is", "workers are")} healthy, and may run tasks`}>
      <ul className="facts" aria-label="Healthy workers">
        {workers.slice(0, namedMax).map(({ id, isMine, name }) => (
          <li key={id}>
            <strong>{name}</strong>
            {!isMine && " of another member"}
          </li>
        ))}
        {workers.length > namedMax && <li className="muted">{workers.length - namedMax} more</li>}
      </ul>
    </Notice>
  )

export const WorkersRemoval = ({ workers }: { readonly workers: ReadonlyArray<Worker> }) => {
  const isOne = workers.length === 1
  return (
    <>
      <Impacts name="workers" rows={workers} impactOf={({ id }, signal) => client.workers.get(id, { signal })}>
        {(impacts) => {
          const current = impacts.map(([, { worker }]) => worker)
          const runtimes = impacts.filter(([, { instance }]) => instance !== null).length
          const others = current.filter(({ isMine }) => !isMine).length
          return (
            <>
              {!isOne && <Running workers={current.filter(({ status }) => status === "healthy")} />}
              {!isOne && others > 0 && (
                <p>
                  {others === 1
                    ? "1 worker belongs to another member, who can no longer use it."
                    : `${others} workers belong to other members, who can no longer use them.`}
                </p>
              )}
              {runtimes > 0 && (
                <p>
                  {isOne ? "Its runtime is stopped." : `${plural(runtimes, "runtime is", "runtimes are")} stopped.`}
                </p>
              )}
            </>
          )
        }}
      </Impacts>
      <p>{isOne ? "Its tokens stop" : "Their tokens stop"} working at once.</p>
      <p>
        Tasks that {isOne ? "it runs" : "they run"} end. What {isOne ? "it" : "they"} reported is no longer shown. This
        cannot be undone.
      </p>
    </>
  )
}
