/** Single sign-on, set up step by step. Each step is tested against the live provider before the next one. */
import { NotFoundError, type SsoConnection } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"
import { readVersioned, type Versioned } from "../../design/form-version.ts"
import { Shown } from "../../design/query.tsx"
import { CopyField } from "../../design/secret.tsx"
import { Failure, PageHeader } from "../../design/ui.tsx"
import { Domains, domainsQuery } from "./sso-domains.tsx"
import { ProviderSettings } from "./sso-provider.tsx"
import { EnableSso, EnforceSso, RemoveSso } from "./sso-enforce.tsx"
import { TestSso } from "./sso-test.tsx"
import { done, Step, type StepState, todo } from "./step.tsx"
import "./people.css"

const ServiceProvider = () => {
  const query = useQuery({
    queryKey: ["sso", "service-provider"],
    queryFn: ({ signal }) => client.sso.serviceProvider({ signal })
  })
  return (
    <Shown query={query} lines={6}>
      {({ acsUrl, entityId, metadataUrl, redirectUri }) => (
        <>
          <p className="muted">
            Create an application in your identity provider, and enter these values there. They belong to this
            organization and never change.
          </p>
          <div className="people-two">
            <fieldset className="stack">
              <legend>OpenID Connect</legend>
              <CopyField label="Redirect URI" value={redirectUri} />
            </fieldset>
            <fieldset className="stack">
              <legend>SAML 2.0</legend>
              <CopyField
                label="Entity ID"
                hint="Also called identifier, audience URI or SP entity ID."
                value={entityId}
              />
              <CopyField label="ACS URL" hint="Also called reply URL or single sign-on URL." value={acsUrl} />
              <CopyField label="Metadata URL" hint="It provides both of the above." value={metadataUrl} />
            </fieldset>
          </div>
        </>
      )}
    </Shown>
  )
}

/** The connection; null if there is none yet. */
const readConnection = async (signal: AbortSignal): Promise<Versioned<SsoConnection | null>> => {
  try {
    return await readVersioned(client.sso.get({ signal }))
  } catch (error) {
    if (error instanceof NotFoundError && error.code === "sso_connection_not_found") {
      // Someone else may add one while the form is open.
      return { item: null, version: '"0"' }
    }
    throw error
  }
}

const testState = (connection: SsoConnection | null): StepState => {
  if (connection === null || connection.lastTest === null) return todo
  return connection.lastTest.ok ? done("passed") : { text: "failed", tone: "bad" }
}

const useDomainsState = (): StepState | undefined => {
  const { data } = useQuery(domainsQuery)
  if (data === undefined) return undefined
  const count = data.items.filter(({ status }) => status === "verified").length
  return count === 0 ? todo : done(`${count} verified`)
}

const Steps = ({ item: connection, version }: Versioned<SsoConnection | null>) => {
  const domainsState = useDomainsState()
  return (
    <ol className="people-steps">
      <Step number={1} title="Verify your domains" state={domainsState}>
        <Domains />
      </Step>
      <Step number={2} title="Add orgplane to your identity provider" state={undefined}>
        <ServiceProvider />
      </Step>
      <Step
        number={3}
        title="Connect your identity provider"
        state={connection === null ? todo : done(connection.protocol === "oidc" ? "OpenID Connect" : "SAML 2.0")}
      >
        <ProviderSettings connection={connection} version={version} />
      </Step>
      <Step number={4} title="Test a sign-in" state={testState(connection)}>
        <TestSso connection={connection} />
      </Step>
      <Step number={5} title="Enable single sign-on" state={connection?.enabled === true ? done("enabled") : todo}>
        <EnableSso connection={connection} />
      </Step>
      <Step
        number={6}
        title="Enforce single sign-on"
        state={connection?.enforced === true ? done("enforced") : { text: "optional", tone: "neutral" }}
      >
        <EnforceSso connection={connection} />
      </Step>
    </ol>
  )
}

export const Page = () => {
  const query = useQuery({ queryKey: ["sso"], queryFn: ({ signal }) => readConnection(signal) })
  if (query.isError && query.data === undefined) {
    return (
      <>
        <PageHeader title="Single sign-on" />
        <Failure error={query.error} retry={() => void query.refetch()} />
      </>
    )
  }
  return (
    <>
      <PageHeader
        title="Single sign-on"
        description="Members sign in through your identity provider, with OpenID Connect or SAML 2.0."
        actions={
          query.data === undefined || query.data.item === null ? undefined : <RemoveSso connection={query.data.item} />
        }
      />
      <Shown query={query} lines={12}>
        {(current) => <Steps {...current} />}
      </Shown>
    </>
  )
}
