/** An area of the console: its pages by path, and its entries in the sidebar and the command palette. */
import type { ComponentType } from "react"
import type { Need } from "./api/permissions.ts"

/** The module of a page, which is loaded when the page opens. */
export type LoadPage = () => Promise<{ readonly Page: ComponentType }>

export interface Entry {
  readonly to: string
  readonly name: string
  /** Without the permission, the page would show a refusal only, so the entry is left out. */
  readonly permission?: Need | ReadonlyArray<Need>
  /** The first part of the paths of other pages that belong to the entry, such as `/releases`. */
  readonly also?: string
  /** Only for platform administrators. */
  readonly isPlatform?: boolean
}

export interface Area {
  readonly title: string
  /** The pages of lists, in the order of the sidebar. */
  readonly entries: ReadonlyArray<Entry>
  /** By path, such as `/plugins/$pluginId`. */
  readonly pages: Readonly<Record<string, LoadPage>>
}
