/** Whether the server is healthy and ready, and its version. */
import type { NotReady, Ready } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge } from "../../design/ui.tsx"

const refreshMilliseconds = 30_000

const checks: ReadonlyArray<readonly [name: keyof Ready["checks"], label: string]> = [
  ["database", "Database"],
  ["writes", "Writes"],
  ["queue", "Queue"],
  ["disk", "Disk"]
]

const Checks = ({ ready }: { readonly ready: Ready | NotReady }) => (
  <ul className="health">
    {checks.map(([name, label]) => {
      const status = ready.checks[name]
      return status === undefined ? null : (
        <li key={name}>
          <span>{label}</span>
          <Badge tone={status === "ok" ? "good" : "bad"}>{status}</Badge>
        </li>
      )
    })}
  </ul>
)

export const Health = () => {
  const ready = useQuery({
    queryKey: ["system", "ready"],
    queryFn: ({ signal }) => client.system.ready({ signal }),
    refetchInterval: refreshMilliseconds
  })
  const health = useQuery({
    queryKey: ["system", "health"],
    queryFn: ({ signal }) => client.system.health({ signal }),
    refetchInterval: refreshMilliseconds
  })
  const version = useQuery({
    queryKey: ["system", "version"],
    queryFn: ({ signal }) => client.system.version({ signal }),
    staleTime: 300_000
  })
  const user = useQuery({
    queryKey: ["me"],
    queryFn: ({ signal }) => client.users.get({ signal }),
    staleTime: 60_000
  })
  const isReady = ready.data?.status === "ready"
  return (
    <Section
      title="Health"
      actions={
        ready.data !== undefined && (
          <Badge tone={isReady && health.data?.status !== undefined ? "good" : isReady ? "neutral" : "bad"}>
            {isReady ? "ready" : "not ready"}
          </Badge>
        )
      }
    >
      <Shown query={ready} lines={4}>
        {(value) => <Checks ready={value} />}
      </Shown>
      {version.data !== undefined && (
        <p className="muted">
          orgplane {version.data.version}, API {version.data.api}, schema {version.data.schemaVersion}
        </p>
      )}
      {user.data?.isPlatformAdministrator === true && <Link to="/platform">Platform administration</Link>}
    </Section>
  )
}
