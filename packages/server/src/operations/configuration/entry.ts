import type { Item, Kind, Path } from "./kind.ts"

/** An object in the document. */
export interface Entry {
  readonly key: string | null
  readonly item: Item
  readonly stated: Item
  readonly path: Path
}
/** The objects in the document, by kind. */
export type Entries = ReadonlyMap<Kind, ReadonlyArray<Entry>>
