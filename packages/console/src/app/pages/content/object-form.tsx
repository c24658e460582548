/** Forms for the content of a config object: a new object, and a new version of one. */
import type { ConfigObject, ObjectType } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { TextDiff } from "../../design/diff.tsx"
import { SelectField, TextArea } from "../../design/fields.tsx"
import { useFormField } from "../../design/form-version.ts"
import { Field } from "../../design/ui.tsx"
import { NewerVersion, useBaseVersion } from "./newer-version.tsx"
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

/** A new version: the content, and its difference from the latest version before it is saved. */
export const NewVersionDialog = ({
  object,
  onClose
}: {
  readonly object: ConfigObject
  readonly onClose: () => void
}) => {
  const { base, change, check, isLoaded } = useBaseVersion(
    object.latestVersion,
    async () => (await client.configObjects.get(object.id)).latestVersion
  )
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
          {change !== undefined && text !== before && (
            <NewerVersion ordinal={change.after.ordinal} isLoaded={isLoaded}>
              <TextDiff
                before={contentOf(change.before)}
                after={contentOf(change.after)}
                label={`Changes in version ${change.after.ordinal}`}
              />
            </NewerVersion>
          )}
        </>
      )}
    </FormDialog>
  )
}
