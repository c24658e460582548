/** An account on a code host, and the repositories that can be connected through it. */
import type { CodehostRepository, ConnectorAccount } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Badge, Empty, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Author } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Loaded } from "./loaded.tsx"
import { Crumb } from "./parts.tsx"

export const accountTones = { active: "good", error: "bad", disconnected: "neutral" } as const

const columns: ReadonlyArray<Column<CodehostRepository>> = [
  {
    name: "Repository",
    width: "minmax(0, 2fr)",
    cell: ({ fullName }) => <strong title={fullName}>{fullName}</strong>,
    sort: ({ fullName }) => fullName
  },
  {
    name: "Default branch",
    width: "minmax(0, 1fr)",
    wide: true,
    cell: ({ defaultBranch }) => (defaultBranch === null ? "" : <code>{defaultBranch}</code>),
    sort: ({ defaultBranch }) => defaultBranch
  },
  {
    name: "Visible to",
    width: "110px",
    cell: (each) => (each.private ? "private" : "public"),
    sort: (each) => (each.private ? "private" : "public")
  }
]

const Account = ({ account }: { readonly account: ConnectorAccount }) => {
  const { adapter, id, status, statusReason } = account
  const isListed = adapter === "rest" && status === "active"
  return (
    <>
      <PageHeader
        title={account.name}
        actions={
          isListed ? (
            <Link className="button" data-kind="primary" to="/connectors/new" search={{ account: id }}>
              Connect a repository
            </Link>
          ) : undefined
        }
      />
      <div className="stack">
        {status === "error" && (
          <Notice title="The account does not work" tone="bad">
            <span>{statusReason ?? "The app was removed or suspended on the code host."}</span>
          </Notice>
        )}
        <Section title="Account">
          <Facts
            rows={[
              [
                "Status",
                <Badge key="status" tone={accountTones[status]}>
                  {status}
                </Badge>
              ],
              ["Reads through", adapter === "rest" ? "the app on the code host" : "plain Git"],
              ["On the code host", <code key="remote">{account.remoteId}</code>],
              ["Added", <Time key="added" at={account.createdAt} />],
              ["Added by", <Author key="author" id={account.createdByOrgMembershipId} />]
            ]}
          />
        </Section>
        {isListed && (
          <Section title="Repositories that it can read">
            <DataTable
              label="Repositories"
              columns={columns}
              queryKey={["connector-accounts", id, "list"]}
              load={(cursor, signal) => client.connectors.listRepositories(id, { limit: 50, cursor }, { signal })}
              idOf={(each) => each.id}
              empty={<Empty title="The installation has no repositories" />}
            />
          </Section>
        )}
        {adapter === "git" && <p className="muted">Repositories of a Git host are connected by their URL.</p>}
      </div>
    </>
  )
}

export const Page = () => {
  const id = usePathParameter("accountId")
  const query = useQuery({
    queryKey: ["connector-accounts", id],
    queryFn: ({ signal }) => client.connectors.getAccount(id, { signal })
  })
  return (
    <>
      <Crumb to="/connector-accounts">Connector accounts</Crumb>
      <Loaded title="Connector account" query={query}>
        {(account) => <Account account={account} />}
      </Loaded>
    </>
  )
}
