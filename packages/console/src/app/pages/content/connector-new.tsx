/** Connects a repository: by its URL, or chosen from those that an installed app can read. */
import type { CodehostRepository } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { SelectField } from "../../design/fields.tsx"
import { Button, Empty, Field, PageHeader, Skeleton } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { InstallDialog } from "./install-app.tsx"
import { Crumb, PageForm, Picker } from "./parts.tsx"
import { filled, shortRevision } from "./words.ts"

const byUrl = "url"

const useOpenConnector = () => {
  const navigate = useNavigate()
  return (id: string) => void navigate({ to: `/connectors/${id}`, search: { tab: "import" }, ignoreBlocker: true })
}

const UrlForm = () => {
  const [cloneUrl, setCloneUrl] = useState("")
  const [branch, setBranch] = useState("")
  const [name, setName] = useState("")
  const [username, setUsername] = useState("")
  const [token, setToken] = useState("")
  const open = useOpenConnector()
  const submit = async () => {
    const { connectorInstance } = await client.connectors.setup({
      adapter: "git",
      cloneUrl: cloneUrl.trim(),
      branch: filled(branch),
      name: filled(name),
      credential: token === "" ? undefined : { token, username: filled(username) }
    })
    setToken("")
    open(connectorInstance.id)
  }
  return (
    <PageForm
      action="Connect the repository"
      changes={["connectors", "connector-accounts"]}
      fields={["cloneUrl", "branch", "name", "credential"]}
      submit={submit}
    >
      {(problem) => (
        <>
          <Field
            label="Clone URL or path"
            hint="For example https://git.example/acme/plugins.git, or a path on the server that its operator allows."
            required
            autoFocus
            maxLength={2048}
            value={cloneUrl}
            problem={problem("cloneUrl")}
            onChange={({ target }) => setCloneUrl(target.value)}
          />
          <Field
            label="Branch (optional)"
            hint="Default: the default branch of the repository."
            maxLength={200}
            value={branch}
            problem={problem("branch")}
            onChange={({ target }) => setBranch(target.value)}
          />
          <Field
            label="Name (optional)"
            maxLength={255}
            value={name}
            problem={problem("name")}
            onChange={({ target }) => setName(target.value)}
          />
          <fieldset className="stack">
            <legend>Credential of a private repository (optional)</legend>
            <Field
              label="Access token"
              hint="Stored encrypted, sent only to the host of the URL, and never shown again."
              type="password"
              autoComplete="off"
              maxLength={4096}
              value={token}
              problem={problem("credential")}
              onChange={({ target }) => setToken(target.value)}
            />
            <Field
              label="User name (optional)"
              hint="Only if the host does not accept the default, git."
              autoComplete="off"
              maxLength={255}
              value={username}
              onChange={({ target }) => setUsername(target.value)}
            />
          </fieldset>
        </>
      )}
    </PageForm>
  )
}

const AccountForm = ({ accountId }: { readonly accountId: string }) => {
  const [repository, setRepository] = useState<CodehostRepository>()
  const [branch, setBranch] = useState<string>()
  const [name, setName] = useState("")
  const open = useOpenConnector()
  const chosen = branch ?? repository?.defaultBranch ?? undefined
  const submit = async () => {
    if (repository === undefined) return
    const instance = await client.connectors.createInstance({
      connectorAccountId: accountId,
      remoteId: repository.id,
      branch: chosen,
      name: filled(name)
    })
    open(instance.id)
  }
  return (
    <PageForm
      action="Connect the repository"
      changes={["connectors"]}
      fields={["name"]}
      isDisabled={repository === undefined}
      submit={submit}
    >
      {(problem) => (
        <>
          <Picker
            label="Repository"
            queryKey={["connector-accounts", accountId, "repositories"]}
            load={({ cursor, limit }, signal) =>
              client.connectors.listRepositories(
                accountId,
                { limit: Math.max(limit, 50), ...(cursor === undefined ? {} : { cursor }) },
                { signal }
              )
            }
            searches={false}
            idOf={({ id }) => id}
            nameOf={(each) => ({ name: each.fullName, detail: each.private ? "private" : "public" })}
            value={repository?.id}
            onChange={(_, row) => {
              setRepository(row)
              setBranch(undefined)
            }}
          />
          {repository !== undefined && (
            <Picker
              key={repository.id}
              label="Branch"
              queryKey={["connector-accounts", accountId, "branches", repository.id]}
              load={({ cursor, limit }, signal) =>
                client.connectors.listBranches(
                  accountId,
                  { limit, remoteId: repository.id, ...(cursor === undefined ? {} : { cursor }) },
                  { signal }
                )
              }
              searches={false}
              idOf={(each) => each.name}
              nameOf={(each) => ({ name: each.name, detail: <code>{shortRevision(each.revision)}</code> })}
              value={chosen}
              onChange={setBranch}
            />
          )}
          <Field
            label="Name (optional)"
            hint="Default: the name of the repository."
            maxLength={255}
            value={name}
            problem={problem("name")}
            onChange={({ target }) => setName(target.value)}
          />
        </>
      )}
    </PageForm>
  )
}

export const Page = () => {
  const source = useParameters()["account"] ?? byUrl
  const set = useSetParameters()
  const setSource = (id: string) => set({ account: id === byUrl ? undefined : id })
  const [isInstalling, setInstalling] = useState(false)
  const accounts = useQuery({
    queryKey: ["connector-accounts", "all"],
    queryFn: ({ signal }) => client.connectors.listAccounts({ limit: 100 }, { signal })
  })
  const installed = (accounts.data?.items ?? []).filter(
    ({ adapter, status }) => adapter === "rest" && status === "active"
  )
  const account = installed.find(({ id }) => id === source)
  return (
    <>
      <Crumb to="/connectors">Connectors</Crumb>
      <PageHeader
        title="Connect a repository"
        description="The repository is read once to check it. Nothing is imported until you choose plugins in the next step."
        actions={<Button onClick={() => setInstalling(true)}>Install the app on a code host</Button>}
      />
      <div className="stack">
        <div className="page-form">
          {accounts.isPending ? (
            <Skeleton height={58} />
          ) : (
            <SelectField
              label="Where the repository is"
              options={[
                [byUrl, "By its URL or path, with plain Git"],
                ...installed.map(({ id, name }) => [id, `${name}, through the installed app`] as const)
              ]}
              value={source}
              onChange={({ target }) => setSource(target.value)}
            />
          )}
        </div>
        {source === byUrl ? (
          <UrlForm />
        ) : account === undefined ? (
          <Empty title="Choose where the repository is" />
        ) : (
          <AccountForm key={account.id} accountId={account.id} />
        )}
      </div>
      {isInstalling && <InstallDialog isOpen onClose={() => setInstalling(false)} onInstalled={setSource} />}
    </>
  )
}
