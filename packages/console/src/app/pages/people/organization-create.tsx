/** Creates an organization: another one, or the first one of a person. */
import { Link, useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { client, showOrganization } from "../../api/client.ts"
import { problemOf } from "../../design/action.tsx"
import { Button, Failure, Field, PageHeader } from "../../design/ui.tsx"
import "./people.css"

const CreateOrganization = () => {
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      const { id } = await client.organizations.create({ name: name.trim() })
      await showOrganization(id)
      await navigate({ to: "/" })
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  const problem = problemOf(error, "name")
  return (
    <form className="card stack people-form" onSubmit={(event) => void submit(event)}>
      <h2>Create an organization</h2>
      <p className="muted">You become its owner. You can invite others afterwards.</p>
      <Field
        label="Name"
        required
        minLength={2}
        maxLength={120}
        autoComplete="organization"
        value={name}
        problem={problem}
        onChange={({ target }) => setName(target.value)}
      />
      {error !== undefined && problem === undefined && <Failure error={error} />}
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy}>
          Create the organization
        </Button>
      </div>
    </form>
  )
}

/** What a person sees who belongs to no organization. */
export const FirstOrganization = () => (
  <>
    <PageHeader
      title="Welcome to orgplane"
      description="You do not belong to an organization yet. Join one that has invited you, or create your own."
    />
    <div className="cards">
      <section className="card stack" aria-label="Join an organization">
        <h2>Join an organization</h2>
        <p className="muted">
          Open the link in your invitation email. If you have no invitation, ask an admin of the organization for one,
          for the address with which you signed in.
        </p>
        <div className="row">
          <Link className="button" to="/invitations/accept">
            I have an invitation
          </Link>
          <Link to="/me">Your account</Link>
        </div>
      </section>
      <CreateOrganization />
    </div>
  </>
)

export const Page = () => (
  <>
    <PageHeader title="New organization" />
    <CreateOrganization />
  </>
)
