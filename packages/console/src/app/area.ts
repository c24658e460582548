/** An area of the console: its pages by path, and its entries in the sidebar and the command palette. */
import type { ComponentType } from "react"

/** The module of a page, which is loaded when the page opens. */
export type LoadPage = () => Promise<{ readonly Page: ComponentType }>

export interface Area {
  readonly title: string
  /** The pages of lists, in the order of the sidebar. */
  readonly entries: ReadonlyArray<{ readonly to: string; readonly name: string }>
  /** By path, such as `/plugins/$pluginId`. */
  readonly pages: Readonly<Record<string, LoadPage>>
}
