/** The domains of the organization: the DNS record that verifies each, and a check. */
import { type Domain, InvalidRequestError } from "@orgplane/client"
import { queryOptions, useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { client } from "../../api/client.ts"
import { problemOf, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Shown } from "../../design/query.tsx"
import { CopyField } from "../../design/secret.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Failure, Field, Notice, Time, type Tone } from "../../design/ui.tsx"

/** An organization has at most 50 domains. */
const domainsMax = 50

const tones: Readonly<Record<Domain["status"], Tone>> = { pending: "warn", verified: "good", lapsed: "bad" }

const helps: Readonly<Record<NonNullable<Domain["failure"]>, string>> = {
  record_missing:
    "The name servers report that the record does not exist. New records can take minutes to hours. Check that the domain is not repeated in the name of the record.",
  record_mismatch: "There is a record with another value. Compare the values, and remove quotes.",
  dns_unavailable: "The name servers failed or did not respond in time. Try again.",
  domain_taken:
    "Another organization has verified this domain. You can verify it one day after their record is removed."
}

const helpOf = (code: string | undefined, message: string): string =>
  Object.entries(helps).find(([name]) => name === code)?.[1] ?? message

const Remove = ({ domain }: { readonly domain: Domain }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button permission="sso:manage" kind="quiet" aria-label={`Remove ${domain.domain}`} onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Confirm
        title={`Remove ${domain.domain}`}
        action="Remove the domain"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={async () => {
          await client.ssoDomains.remove(domain.id)
          notify("The domain was removed.")
          await reload(["sso-domains"])
        }}
      >
        <ul className="people-consequences">
          <li>
            New people with addresses at this domain can no longer sign in through the provider or be provisioned.
          </li>
          <li>Existing members stay.</li>
          <li>The value of the record becomes invalid. If you add the domain again, it gets a new one.</li>
        </ul>
      </Confirm>
    </>
  )
}

const DomainRow = ({ domain, problem }: { readonly domain: Domain; readonly problem: string | undefined }) => {
  const failure = problem ?? (domain.failure === null ? undefined : helps[domain.failure])
  return (
    <li className="people-domain stack">
      <div className="row spread">
        <span className="row">
          <strong className="people-long">{domain.domain}</strong>
          <Badge tone={tones[domain.status]}>{domain.status}</Badge>
          {domain.lastCheckedAt !== null && (
            <span className="muted">
              checked <Time at={domain.lastCheckedAt} />
            </span>
          )}
        </span>
        <Remove domain={domain} />
      </div>
      {domain.status !== "verified" && (
        <div className="people-two">
          <CopyField label="TXT record, name" value={domain.verification.name} />
          <CopyField label="TXT record, value" value={domain.verification.value} />
        </div>
      )}
      {domain.failingSince !== null && domain.status === "verified" && (
        <Notice tone="warn" title="The record of this domain is missing or different">
          <span>
            Since <Time at={domain.failingSince} />. The domain lapses if this lasts for 24 hours.
          </span>
        </Notice>
      )}
      {failure !== undefined && domain.status !== "verified" && <p className="people-problem">{failure}</p>}
    </li>
  )
}

const Add = () => {
  const [domain, setDomain] = useState("")
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await client.ssoDomains.create({ domain: domain.trim() })
      setDomain("")
      await reload(["sso-domains"])
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  const problem = problemOf(error, "domain")
  return (
    <>
      <form className="people-inline people-form" onSubmit={(event) => void submit(event)}>
        <Field
          label="Domain"
          placeholder="acme.com"
          required
          minLength={3}
          maxLength={253}
          autoComplete="off"
          value={domain}
          problem={problem}
          onChange={({ target }) => setDomain(target.value)}
        />
        <Button permission="sso:write" type="submit" disabled={isBusy}>
          Add the domain
        </Button>
      </form>
      {error !== undefined && problem === undefined && <Failure error={error} />}
    </>
  )
}

/** Checks the records of all domains that are not verified, and returns the problem of each that failed. */
const verify = async (): Promise<ReadonlyMap<string, string>> => {
  try {
    await client.ssoDomains.verify()
    return new Map()
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error
    const failed = error.details.flatMap(({ code, message, path: [first, domain] }) =>
      first === "domains" && typeof domain === "string" ? [[domain, helpOf(code, message)] as const] : []
    )
    if (failed.length === 0) throw error
    return new Map(failed)
  }
}

const Check = ({ onProblems }: { readonly onProblems: (problems: ReadonlyMap<string, string>) => void }) => {
  const [isBusy, setBusy] = useState(false)
  const check = async () => {
    setBusy(true)
    try {
      const problems = await verify()
      onProblems(problems)
      if (problems.size === 0) notify("All domains are verified.")
      else notify(`${problems.size} of the domains could not be verified.`, "warn")
    } catch (error) {
      notify("The domains could not be checked.", "bad", error)
    }
    setBusy(false)
    await reload(["sso-domains"])
  }
  return (
    <Button kind="primary" disabled={isBusy} onClick={() => void check()}>
      {isBusy ? "Checking the records…" : "Check the records"}
    </Button>
  )
}

export const domainsQuery = queryOptions({
  queryKey: ["sso-domains"],
  queryFn: ({ signal }) => client.ssoDomains.list({ limit: domainsMax }, { signal })
})

export const Domains = () => {
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const query = useQuery(domainsQuery)
  return (
    <>
      <p className="muted">
        The provider is trusted only for email addresses at domains that you have verified. Add the TXT record to the
        DNS of the domain, and keep it: it is checked every day. Subdomains are separate domains.
      </p>
      <Shown query={query} lines={3}>
        {({ items }) => (
          <>
            {items.length > 0 && (
              <ul className="people-plain stack" aria-label="Domains">
                {items.map((domain) => (
                  <DomainRow key={domain.id} domain={domain} problem={problems.get(domain.domain)} />
                ))}
              </ul>
            )}
            {items.some(({ status }) => status !== "verified") && (
              <div className="row">
                <Check onProblems={setProblems} />
              </div>
            )}
            {items.length < domainsMax && <Add />}
          </>
        )}
      </Shown>
    </>
  )
}
