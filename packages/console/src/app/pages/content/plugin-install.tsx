/** How a plugin is installed: through a marketplace, or from its archive. */
import type { Plugin } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { Section } from "../../design/facts.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Button, Empty } from "../../design/ui.tsx"
import { Copied, Picker } from "./parts.tsx"

const AddDialog = ({ onClose, plugin }: { readonly plugin: Plugin; readonly onClose: () => void }) => {
  const [marketplaceId, setMarketplaceId] = useState<string>()
  return (
    <FormDialog
      title="Add the plugin to a marketplace"
      description="Everyone who can see the marketplace can then see the plugin. You must be a manager of the plugin."
      action="Add the plugin"
      done="The plugin was added to the marketplace."
      changes={["plugins", "marketplaces"]}
      isOpen
      onClose={onClose}
      submit={() => client.marketplaces.addPlugin(marketplaceId ?? "", { pluginId: plugin.id })}
    >
      {() => (
        <Picker
          label="Marketplace"
          queryKey={["marketplaces", "pick"]}
          load={(input, signal) => client.marketplaces.list(input, { signal })}
          filter={({ id }) => !plugin.marketplaces.some((each) => each.id === id)}
          idOf={({ id }) => id}
          nameOf={({ name, pluginCount }) => ({ name, detail: plural(pluginCount, "plugin") })}
          value={marketplaceId}
          onChange={setMarketplaceId}
        />
      )}
    </FormDialog>
  )
}

/** Saves the archive as a file. It is small: the server refuses larger ones. */
const download = async (plugin: Plugin, format: "tar.gz" | "zip") => {
  const stream = await client.plugins.download(plugin.id, { format })
  const url = URL.createObjectURL(await new Response(stream).blob())
  const link = document.createElement("a")
  link.href = url
  link.download = `${plugin.name.replace(/[^\w.-]+/g, "-")}.${format}`
  link.click()
  URL.revokeObjectURL(url)
}

export const Install = ({ plugin }: { readonly plugin: Plugin }) => {
  const [isAdding, setAdding] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const save = async (format: "tar.gz" | "zip") => {
    setBusy(true)
    await download(plugin, format).catch((error: unknown) => notify("The archive was not saved.", "bad", error))
    setBusy(false)
  }
  return (
    <div className="cards">
      <Section
        title="Through a marketplace"
        actions={
          <Button permission="marketplaces:write" onClick={() => setAdding(true)}>
            Add to a marketplace
          </Button>
        }
      >
        {plugin.marketplaces.length === 0 ? (
          <Empty title="The plugin is in no marketplace">
            <p>Members install plugins from marketplaces.</p>
          </Empty>
        ) : (
          <>
            <p>Create a link of the marketplace and give it to the agent. Each page has the commands.</p>
            <ul className="bullets">
              {plugin.marketplaces.map(({ id, name }) => (
                <li key={id}>
                  <Link to={`/marketplaces/${id}`} search={{ tab: "install" }}>
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="muted">Plugins that your organization assigns to you are installed by this command.</p>
        <Copied label="Command that installs assigned plugins" text="orgplane agents sync" />
      </Section>
      <Section title="Archive">
        <p>The archive of the served release. It is identical for as long as the content is unchanged, and signed.</p>
        <div className="row">
          <Button disabled={isBusy} onClick={() => void save("tar.gz")}>
            Download tar.gz
          </Button>
          <Button disabled={isBusy} onClick={() => void save("zip")}>
            Download zip
          </Button>
        </div>
        <Copied
          label="Command that downloads the archive"
          text={`orgplane plugins download ${plugin.id} --to plugin.tar.gz`}
        />
      </Section>
      {isAdding && <AddDialog plugin={plugin} onClose={() => setAdding(false)} />}
    </div>
  )
}
