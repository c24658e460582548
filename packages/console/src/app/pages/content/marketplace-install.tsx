/** How agents add a marketplace: a link with a token, its commands, and what the marketplace serves now. */
import type { MarketplaceLink, MarketplaceLinkWithUrl, ResolvedMarketplace } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { SecretDialog } from "../../design/secret.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Field, Time } from "../../design/ui.tsx"
import { MemberName, TeamName } from "./names.tsx"
import { Copied, FirstRows, Picker } from "./parts.tsx"
import { optionOf } from "./words.ts"

const holders = [
  ["self", "My own access"],
  ["team", "The access of a team"]
] as const

const CreateDialog = ({
  marketplaceId,
  onClose,
  onCreated
}: {
  readonly marketplaceId: string
  readonly onClose: () => void
  readonly onCreated: (link: MarketplaceLinkWithUrl) => void
}) => {
  const [name, setName] = useState("")
  const [holder, setHolder] = useState<(typeof holders)[number][0]>("self")
  const [teamId, setTeamId] = useState<string>()
  const [expiresAt, setExpiresAt] = useState("")
  return (
    <FormDialog
      title="Create a link"
      description="Anyone with the link can read the marketplace and its plugins with your access, or with that of a team. Access is checked on each request."
      action="Create the link"
      done="The link was created."
      changes={["marketplaces"]}
      isOpen
      onClose={onClose}
      fields={["name", "teamId", "expiresAt"]}
      submit={async () =>
        onCreated(
          await client.marketplaces.createLink(marketplaceId, {
            name: name.trim(),
            teamId: holder === "team" ? (teamId ?? null) : null,
            expiresAt: expiresAt === "" ? null : new Date(expiresAt).toISOString()
          })
        )
      }
    >
      {(problem) => (
        <>
          <Field
            label="Name"
            hint="For example the device that uses it."
            required
            maxLength={120}
            value={name}
            problem={problem("name")}
            onChange={({ target }) => setName(target.value)}
          />
          <SelectField
            label="Whose access it uses"
            options={holders}
            value={holder}
            problem={problem("teamId")}
            hint="Only managers of the marketplace can create a link for a team."
            onChange={({ target }) => setHolder(optionOf(holders, target.value, "self"))}
          />
          {holder === "team" && (
            <Picker
              label="Team"
              queryKey={["teams", "pick"]}
              load={(input, signal) => client.teams.list(input, { signal })}
              idOf={({ id }) => id}
              nameOf={(team) => ({ name: team.name, detail: plural(team.memberCount, "member") })}
              value={teamId}
              onChange={setTeamId}
            />
          )}
          <Field
            label="Expires (optional)"
            hint="Default: never."
            type="datetime-local"
            value={expiresAt}
            problem={problem("expiresAt")}
            onChange={({ target }) => setExpiresAt(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

const Served = ({ resolved }: { readonly resolved: ResolvedMarketplace }) => {
  const { marketplace, plugins } = resolved
  const query = useQuery({
    queryKey: ["marketplaces", marketplace.id, "manifest"],
    queryFn: ({ signal }) => client.marketplaces.manifest(marketplace.id, {}, { signal }),
    staleTime: 60_000
  })
  return (
    <Shown query={query} lines={5}>
      {({ name, plugins: entries }) => {
        const missing = plugins.filter(({ id }) => !entries.some(({ source }) => source.url.includes(id)))
        return (
          <>
            <p>
              Agents know the marketplace as <code>{name}</code>. It lists {plural(entries.length, "plugin")}.
            </p>
            {missing.length > 0 && (
              <ul className="bullets" aria-label="Not listed">
                {missing.map(({ id, name: plugin, pendingReleaseId }) => (
                  <li key={id}>
                    <Link to={`/plugins/${id}`}>{plugin}</Link> is not listed:{" "}
                    {pendingReleaseId === null ? (
                      "no archive can be created, or you do not receive it."
                    ) : (
                      <Link to={`/releases/${pendingReleaseId}`}>its first release is pending approval.</Link>
                    )}
                  </li>
                ))}
              </ul>
            )}
            {entries.length > 0 && (
              <FirstRows rows={entries} size={50}>
                {(first) => (
                  <div className="change-table" tabIndex={0} role="region" aria-label="Listed plugins">
                    <table>
                      <thead>
                        <tr>
                          <th>Name for agents</th>
                          <th>Version</th>
                        </tr>
                      </thead>
                      <tbody>
                        {first.map((entry) => (
                          <tr key={entry.name}>
                            <td>
                              <code>{entry.name}</code>
                            </td>
                            <td>
                              <code>{entry.version}</code>
                            </td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                )}
              </FirstRows>
            )}
            {entries[0] !== undefined && (
              <Copied
                label="Command that installs a plugin"
                text={`claude plugin install ${entries[0].name}@${name}`}
              />
            )}
          </>
        )
      }}
    </Shown>
  )
}

const stateOf = ({ expiresAt, revokedAt }: MarketplaceLink) => {
  if (revokedAt !== null) return <Badge>revoked</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) < Date.now()) return <Badge>expired</Badge>
  return <Badge tone="good">valid</Badge>
}

const Links = ({ marketplaceId }: { readonly marketplaceId: string }) => {
  const [revoked, setRevoked] = useState<MarketplaceLink>()
  const columns: ReadonlyArray<Column<MarketplaceLink>> = [
    {
      name: "Name",
      width: "minmax(0, 2fr)",
      cell: ({ name }) => <strong title={name}>{name}</strong>,
      sort: ({ name }) => name
    },
    {
      name: "Access of",
      width: "minmax(0, 1fr)",
      wide: true,
      cell: ({ orgMembershipId, teamId }) =>
        teamId !== null ? <TeamName id={teamId} /> : orgMembershipId === null ? "" : <MemberName id={orgMembershipId} />
    },
    { name: "Status", width: "90px", cell: stateOf },
    {
      name: "Last used",
      width: "130px",
      wide: true,
      cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
      sort: ({ lastUsedAt }) => lastUsedAt
    },
    {
      name: "Expires",
      width: "130px",
      wide: true,
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
      sort: ({ expiresAt }) => expiresAt
    },
    {
      name: "Actions",
      width: "90px",
      cell: (link) =>
        link.revokedAt === null ? (
          <Button kind="quiet" access="manager" onClick={() => setRevoked(link)}>
            Revoke
          </Button>
        ) : (
          ""
        )
    }
  ]
  return (
    <>
      <DataTable
        label="Links"
        columns={columns}
        queryKey={["marketplaces", marketplaceId, "links"]}
        load={(cursor, signal) => client.marketplaces.listLinks(marketplaceId, { limit: 50, cursor }, { signal })}
        idOf={({ id }) => id}
        empty={<Empty title="There are no links yet" />}
      />
      <Confirm
        title={`Revoke the link ${revoked?.name ?? ""}?`}
        action="Revoke the link"
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        confirm={async () => {
          if (revoked === undefined) return
          await client.marketplaces.revokeLink(marketplaceId, revoked.id)
          notify("The link was revoked.")
          await reload(["marketplaces"])
        }}
      >
        <p>
          Agents that added the marketplace with this link can no longer read it: they keep what they have installed and
          receive no updates. It cannot be undone.
        </p>
      </Confirm>
    </>
  )
}

export const Install = ({ resolved }: { readonly resolved: ResolvedMarketplace }) => {
  const { id } = resolved.marketplace
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<MarketplaceLinkWithUrl>()
  return (
    <div className="stack">
      <div className="cards">
        <Section
          title="Add the marketplace to an agent"
          actions={
            <Button kind="primary" access="manager" onClick={() => setCreating(true)}>
              Create a link
            </Button>
          }
        >
          <ol className="steps">
            <li>Create a link. Its URL contains a token and is shown once.</li>
            <li>
              Give the URL to the agent: <code>claude plugin marketplace add</code> and the URL.
            </li>
            <li>Install the plugins by their names.</li>
          </ol>
        </Section>
        <Section title="What it serves to you now">
          <Served resolved={resolved} />
        </Section>
      </div>
      <Section title="Links">
        <Links marketplaceId={id} />
      </Section>
      {isCreating && <CreateDialog marketplaceId={id} onClose={() => setCreating(false)} onCreated={setCreated} />}
      <SecretDialog
        title="Copy the link now"
        label="URL of the marketplace"
        hint="The URL contains a token, so treat it like a password. It is not shown again."
        secret={created?.url}
        uses={
          created === undefined
            ? []
            : [{ label: "Command that adds the marketplace", value: `claude plugin marketplace add ${created.url}` }]
        }
        onClose={() => setCreated(undefined)}
      >
        {created !== undefined && (
          <p className="muted">Requires Claude Code {created.minimumClientVersion} or later.</p>
        )}
      </SecretDialog>
    </div>
  )
}
