/** What a plugin can do on a member's machine, and parts that a reviewer should read. */
import type { PluginCapabilities } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { Empty } from "../../design/ui.tsx"
import { Sentence, Signals } from "./changes.tsx"
import { Copied, FirstRows } from "./parts.tsx"

type Capability = PluginCapabilities["elements"][number]

/** The order in which a reviewer reads them: what runs comes first. */
const titles: ReadonlyArray<readonly [kind: Capability["kind"], title: string]> = [
  ["hook", "Hooks"],
  ["inline_command", "Commands in texts"],
  ["executable", "Programs and scripts"],
  ["server", "Servers"],
  ["network_host", "Network hosts"],
  ["tool", "Tools that components may use"],
  ["setting", "Settings"],
  ["link", "Links and paths outside of the plugin"],
  ["unknown", "Not recognized"],
  ["unparsable", "Cannot be read"],
  ["component", "Skills, agents, commands and styles"]
]

const Element = ({ element }: { readonly element: Capability }) => {
  const command = "command" in element ? element.command : null
  return (
    <li>
      <Sentence text={element.summary} />{" "}
      <code className="muted">
        {element.path}:{element.line}
      </code>
      {"details" in element && (
        <details>
          <summary>All fields</summary>
          {command !== null && <Copied label="Command" text={command} />}
          <pre className="code wrapped" tabIndex={0} role="group" aria-label="All fields as JSON">
            {element.details}
          </pre>
        </details>
      )}
    </li>
  )
}

export const CapabilitySet = ({
  set: { digest, elementCount, elements, signals, truncated }
}: {
  readonly set: Pick<PluginCapabilities, "digest" | "elementCount" | "elements" | "signals" | "truncated">
}) => (
  <div className="stack">
    {signals.length > 0 && (
      <Section title="Read these parts first">
        <Signals signals={signals} />
        <p className="muted">A plugin without signals is not necessarily safe.</p>
      </Section>
    )}
    {elements.length === 0 ? (
      <Empty title="This plugin contains text only">
        <p>It starts no program, contacts no server, and changes no settings.</p>
      </Empty>
    ) : (
      titles.map(([kind, title]) => {
        const group = elements.filter((element) => element.kind === kind)
        return group.length === 0 ? null : (
          <Section key={kind} title={`${title} (${group.length})`}>
            <FirstRows rows={group}>
              {(first) => (
                <ul className="facts">
                  {first.map((element) => (
                    <Element key={`${element.id} ${element.digest}`} element={element} />
                  ))}
                </ul>
              )}
            </FirstRows>
          </Section>
        )
      })
    )}
    <p className="muted wrapped">
      {plural(elementCount, "capability", "capabilities")}
      {truncated && ", of which not all are shown"}. Digest <code>{digest}</code>
    </p>
  </div>
)

const rules = [
  "secret_in_file",
  "invisible_unicode",
  "bidirectional_control",
  "encoded_shell",
  "download_to_shell",
  "look_alike_name",
  "hidden_instructions"
] as const

export const Capabilities = ({ pluginId }: { readonly pluginId: string }) => {
  const [disabled, setDisabled] = useState<ReadonlySet<string>>(new Set())
  const disabledRules = [...disabled].toSorted().join(",")
  const query = useQuery({
    queryKey: ["plugins", pluginId, "capabilities", disabledRules],
    queryFn: ({ signal }) =>
      client.plugins.capabilities(pluginId, disabledRules === "" ? {} : { disabledRules }, { signal })
  })
  return (
    <div className="stack">
      <details>
        <summary>Rules of signals</summary>
        <div className="row">
          {rules.map((rule) => (
            <label key={rule} className="row">
              <input
                type="checkbox"
                checked={!disabled.has(rule)}
                onChange={() => {
                  const next = new Set(disabled)
                  if (!next.delete(rule)) next.add(rule)
                  setDisabled(next)
                }}
              />
              {rule.replaceAll("_", " ")}
            </label>
          ))}
        </div>
      </details>
      <Shown query={query} lines={8}>
        {(set) => <CapabilitySet set={set} />}
      </Shown>
    </div>
  )
}
