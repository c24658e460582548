/** Tabs whose selected one is in the URL, as `?tab=`. Only the content of the selected tab is rendered. */
import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import { useParameters, useSetParameters } from "../parameters.ts"

export interface Tab {
  readonly value: string
  readonly label: ReactNode
  readonly content: () => ReactNode
}

export const Tabs = ({ tabs }: { readonly tabs: ReadonlyArray<Tab> }) => {
  const { tab } = useParameters()
  const set = useSetParameters()
  const selected = tabs.find(({ value }) => value === tab) ?? tabs[0]
  if (selected === undefined) return null
  return (
    <Base.Root value={selected.value} onValueChange={(value) => set({ tab: String(value) })}>
      <Base.List className="tabs">
        {tabs.map(({ label, value }) => (
          <Base.Tab className="tab" key={value} value={value}>
            {label}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={selected.value}>{selected.content()}</Base.Panel>
    </Base.Root>
  )
}
