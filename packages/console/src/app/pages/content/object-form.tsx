/** Forms for the content of a config object: a new object, and a new version of one. */
import type { ConfigObject, ConfigObjectVersion, ObjectType } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { TextDiff } from "../../design/diff.tsx"
import { ChangedMeanwhile } from "../../design/explain.ts"
import { SelectField, TextArea } from "../../design/fields.tsx"
import { useFormField, useLoads } from "../../design/form-version.ts"
import { Field, Notice } from "../../design/ui.tsx"
import { textOf } from "./source.tsx"
import { filled, objectTypes, optionOf } from "./words.ts"

const contentMax = 1_048_576

const samples: Readonly<Partial<Record<ObjectType, string>>> = {
  skill: "---\nname: my-skill\ndescription: What it does, and when to use it\n---\n\n# My skill\n",
  agent: "---\nname: my-agent\ndescription: What it is for\n---\n\nYou are…\n",
  command: "---\ndescription: What it does\n---\n\nDo…\n",
  mcp: '{\n  "mcpServers": {}\n}\n',
  hook: '{\n  "hooks": {}\n}\n'
}

export const CreateObjectDialog = ({
  onClose,
  pluginId
}: {
  /** The plugin that it is added to. */
  readonly pluginId?: string
  readonly onClose: () => void
}) => {
  const [type, setType] = useState<ObjectType>("skill")
  const [text, setText] = useState(samples.skill ?? "")
  const [title, setTitle] = useState("")
  const [relativePath, setRelativePath] = useState("")
  const navigate = useNavigate()
  const isSample = Object.values(samples).includes(text) || text === ""
  return (
    <FormDialog
      title="Create a config object"
      description={
        pluginId === undefined
          ? "It is private. Add it to a plugin so that members can install it."
          : "Everyone who can see the plugin can then see it."
      }
      action="Create the object"
      done="The object was created."
      changes={["objects", "plugins"]}
      isOpen
      onClose={onClose}
      fields={["type"]}
      submit={async () => {
        const object = await client.configObjects.create({
          input: {
            type,
            rawSourceText: text,
            metadata: {
              ...(filled(title) === undefined ? {} : { title: title.trim() }),
              ...(filled(relativePath) === undefined ? {} : { relativePath: relativePath.trim() })
            }
          },
          pluginIds: pluginId === undefined ? undefined : [pluginId]
        })
        if (pluginId === undefined) await navigate({ to: `/objects/${object.id}` })
      }}
    >
      {(problem) => (
        <>
          <SelectField
            label="Type"
            options={objectTypes}
            value={type}
            problem={problem("type")}
            onChange={({ target }) => {
              const next = optionOf(objectTypes, target.value, "skill")
              setType(next)
              if (isSample) setText(samples[next] ?? "")
            }}
          />
          <Field
            label="Title (optional)"
            hint="Default: the name in the front matter, or the file name."
            maxLength={200}
            value={title}
            onChange={({ target }) => setTitle(target.value)}
          />
          <Field
            label="Path in the plugin (optional)"
            hint="For example skills/review/SKILL.md"
            maxLength={500}
            value={relativePath}
            onChange={({ target }) => setRelativePath(target.value)}
          />
          <TextArea
            label="Content"
            rows={12}
            required
            spellCheck={false}
            maxLength={contentMax}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

type LatestVersion = ConfigObject["latestVersion"]

const contentOf = (version: LatestVersion): string => (version === null ? "" : textOf(version))

/**
 * The latest version when the form opened, or when the person last loaded it again, and what differs in a newer one.
 * `check` rejects if there is a newer one: creating a version does not support `If-Match`.
 */
const useBaseVersion = (object: ConfigObject) => {
  const requested = useLoads()
  const current = object.latestVersion
  const [base, setBase] = useState<{
    readonly version: LatestVersion
    readonly requested: number
    /** The version that the form opened with, if the person has loaded a newer one. */
    readonly opened?: LatestVersion
  }>({ version: current, requested })
  const [newer, setNewer] = useState<ConfigObjectVersion>()
  if (base.requested !== requested && base.version?.id !== current?.id) {
    setNewer(undefined)
    setBase({ version: current, requested, opened: base.opened === undefined ? base.version : base.opened })
  }
  const check = async () => {
    const { latestVersion } = await client.configObjects.get(object.id)
    if (latestVersion === null || latestVersion.id === base.version?.id) return
    setNewer(latestVersion)
    throw new ChangedMeanwhile()
  }
  const isLoaded = newer === undefined
  const change = isLoaded
    ? base.opened === undefined || base.version === null
      ? undefined
      : { before: base.opened, after: base.version }
    : { before: base.version, after: newer }
  return { base: base.version, change, isLoaded, check }
}

/** What someone else has changed while the form was open. */
const NewerVersion = ({
  after,
  before,
  isLoaded
}: {
  readonly before: LatestVersion
  readonly after: ConfigObjectVersion
  readonly isLoaded: boolean
}) => (
  <>
    <Notice title={`Version ${after.ordinal} was saved after you opened the form`} tone="warn">
      <span>
        {isLoaded
          ? "Your text was kept. If you save it, the new version contains only those of the following changes that you add to it."
          : "It has the following changes, which your text does not contain."}
      </span>
    </Notice>
    <TextDiff before={contentOf(before)} after={contentOf(after)} label={`Changes in version ${after.ordinal}`} />
  </>
)

/** A new version: the content, and its difference from the latest version before it is saved. */
export const NewVersionDialog = ({
  object,
  onClose
}: {
  readonly object: ConfigObject
  readonly onClose: () => void
}) => {
  const { base, change, check, isLoaded } = useBaseVersion(object)
  const before = contentOf(base)
  const [text, setText] = useFormField(contentOf(object.latestVersion))
  const isJson = object.latestVersion !== null && object.latestVersion.rawSourceText === null
  return (
    <FormDialog
      title={`New version of ${object.title}`}
      description="Members receive it with the next release of the plugins that contain the object."
      action="Save the version"
      done="The version was saved."
      changes={["objects", "plugins", "approvals"]}
      isOpen
      onClose={onClose}
      submit={async () => {
        await check()
        await client.configObjects.createVersion(object.id, {
          input: {
            rawSourceText: text,
            metadata: {
              title: object.title,
              ...(object.description === null ? {} : { description: object.description }),
              ...(object.currentRelativePath === null ? {} : { relativePath: object.currentRelativePath })
            }
          }
        })
      }}
    >
      {() => (
        <>
          <TextArea
            label="Content"
            {...(isJson ? { hint: "The payload as JSON." } : {})}
            rows={14}
            required
            spellCheck={false}
            maxLength={contentMax}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {base !== null && (
            <details>
              <summary>Difference from version {base.ordinal}</summary>
              <TextDiff before={before} after={text} label={`Difference from version ${base.ordinal}`} />
            </details>
          )}
          {change !== undefined && text !== before && <NewerVersion {...change} isLoaded={isLoaded} />}
        </>
      )}
    </FormDialog>
  )
}
