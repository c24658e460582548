/** Members and teams by their names, and the choice of one of them. */
import type { CreateGrant } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useDeferredValue, useState } from "react"
import { client } from "../../api/client.ts"
import { SelectField } from "../../design/fields.tsx"
import { Failure, Field } from "../../design/ui.tsx"

const nameStaleMillis = 60_000

/** The ID is shown until the name is known, and to people who cannot read members. */
export const MemberName = ({ id }: { readonly id: string | null }) => {
  const member = useQuery({
    queryKey: ["members", id, "name"],
    queryFn: ({ signal }) => client.members.get(id ?? "", { signal }),
    enabled: id !== null,
    staleTime: nameStaleMillis
  })
  if (id === null) return <span className="muted">no member</span>
  if (member.data === undefined) return <code>{id}</code>
  const { email, name } = member.data
  return (
    <Link to={`/members/${id}`} title={email ?? ""}>
      {name ?? email ?? id}
    </Link>
  )
}

export const TeamName = ({ id }: { readonly id: string }) => {
  const team = useQuery({
    queryKey: ["teams", id, "name"],
    queryFn: ({ signal }) => client.teams.get(id, { signal }),
    staleTime: nameStaleMillis
  })
  return team.data === undefined ? <code>{id}</code> : <Link to={`/teams/${id}`}>{team.data.name}</Link>
}

/** Who receives a grant. */
export type Receiver = Pick<CreateGrant, "orgMembershipId" | "teamId" | "orgWide">

type Kind = "everyone" | "team" | "member"
const kinds: ReadonlyArray<readonly [Kind, string]> = [
  ["team", "A team"],
  ["member", "A member"],
  ["everyone", "Everyone in the organization"]
]
const isKind = (value: string): value is Kind => kinds.some(([kind]) => kind === value)

const shownMax = 20

interface Choice {
  readonly id: string
  readonly name: string
}

/** Fields for the choice of a receiver. `onChange` gets undefined until one is chosen. */
export const ReceiverFields = ({ onChange }: { readonly onChange: (receiver: Receiver | undefined) => void }) => {
  const [kind, setKind] = useState<Kind>("team")
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState("")
  const q = useDeferredValue(text.trim())
  const choices = useQuery({
    queryKey: [kind === "team" ? "teams" : "members", "choices", q],
    queryFn: async ({ signal }): Promise<ReadonlyArray<Choice>> => {
      const input = { limit: shownMax, ...(q === "" ? {} : { q }) }
      if (kind === "team") return (await client.teams.list(input, { signal })).items
      const { items } = await client.members.list(input, { signal })
      return items.map(({ email, id, name }) => ({
        id,
        name: name === null ? (email ?? id) : email === null ? name : `${name} (${email})`
      }))
    },
    enabled: kind !== "everyone",
    placeholderData: (before) => before
  })
  const select = (id: string) => {
    setChosen(id)
    onChange(id === "" ? undefined : kind === "team" ? { teamId: id } : { orgMembershipId: id })
  }
  const setReceiverKind = (value: string) => {
    if (!isKind(value)) return
    setKind(value)
    setText("")
    setChosen("")
    onChange(value === "everyone" ? { orgWide: true } : undefined)
  }
  const options = choices.data ?? []
  const label = kind === "team" ? "Team" : "Member"
  return (
    <>
      <SelectField label="Who" options={kinds} value={kind} onChange={({ target }) => setReceiverKind(target.value)} />
      {kind !== "everyone" && (
        <>
          <Field
            label={`Search ${label.toLowerCase()}s`}
            type="search"
            maxLength={100}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              select("")
            }}
          />
          {choices.isError ? (
            <Failure error={choices.error} retry={() => void choices.refetch()} />
          ) : (
            <SelectField
              label={label}
              required
              value={chosen}
              options={[
                ["", options.length === 0 && !choices.isPending ? "Nothing matches" : "Choose…"],
                ...options.map(({ id, name }) => [id, name] as const)
              ]}
              {...(options.length === shownMax ? { hint: "Search to find others." } : {})}
              onChange={({ target }) => select(target.value)}
            />
          )}
        </>
      )}
    </>
  )
}
