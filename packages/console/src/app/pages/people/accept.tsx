/** Opens an invitation from a link that is pasted, for people who have the link but not the page that it opens. */
import { type FormEvent, useEffect, useState } from "react"
import { basePath } from "../../api/client.ts"
import { Button, Field, PageHeader } from "../../design/ui.tsx"
import "./people.css"

/** The token in a link or in a text. */
const tokenOf = (text: string): string | undefined => /\bopi_[0-9A-Za-z]{16,200}\b/.exec(text)?.[0]

/** The page of invitations. The token is in the fragment, which is not sent to any server. */
const openInvitation = (token: string) => location.assign(`${basePath}/invitation#token=${token}`)

export const Page = () => {
  const [text, setText] = useState("")
  const [isWrong, setWrong] = useState(false)
  useEffect(() => {
    const token = tokenOf(location.search + location.hash)
    if (token !== undefined) openInvitation(token)
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = tokenOf(text)
    setWrong(token === undefined)
    if (token !== undefined) openInvitation(token)
  }
  return (
    <>
      <PageHeader
        title="Accept an invitation"
        description="Sign in with the email address that was invited, and paste the link from the email."
      />
      <form className="card stack people-form" onSubmit={submit}>
        <Field
          label="Invitation link"
          hint="Include everything after the # sign."
          required
          autoComplete="off"
          maxLength={2000}
          value={text}
          problem={isWrong ? "This is not an invitation link. It contains opi_ and 49 characters." : undefined}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="row">
          <Button kind="primary" type="submit">
            Show the invitation
          </Button>
        </div>
      </form>
    </>
  )
}
