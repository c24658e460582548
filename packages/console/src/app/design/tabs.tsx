/** Tabs whose selected one is in the URL, as `?tab=`. Only the content of the selected tab is rendered. */
import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import { useParameters, useSetParameters } from "../parameters.ts"
import { type Allowance, useAllows } from "./allowed.tsx"

export interface Tab extends Allowance {
  readonly value: string
  readonly label: ReactNode
  readonly content: () => ReactNode
}

/** Tabs that the person may not use are left out. */
export const Tabs = ({ tabs: all }: { readonly tabs: ReadonlyArray<Tab> }) => {
  const { tab } = useParameters()
  const set = useSetParameters()
  const allows = useAllows()
  // What is not known yet is shown, so that the selected tab does not change.
  const tabs = all.filter((each) => allows(each) !== false)
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
