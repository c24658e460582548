import type { Name } from "./schemas.ts"

export type Operator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le"
export type Literal = string | number | boolean | null

/** A filter as it was written; which attributes there are is judged when it is used. */
export type Filter =
  | { readonly kind: "and" | "or"; readonly filters: ReadonlyArray<Filter> }
  | { readonly kind: "not"; readonly filter: Filter }
  | { readonly kind: "present"; readonly name: Name }
  | { readonly kind: "compare"; readonly name: Name; readonly operator: Operator; readonly value: Literal }
  /** `emails[type eq "work"]`: one value that fulfils it all. */
  | { readonly kind: "value"; readonly name: Name; readonly filter: Filter }

/** What a PATCH operation is about. */
export type Path =
  | { readonly kind: "schema"; readonly schema: string }
  | { readonly kind: "attribute"; readonly name: Name; readonly filter: Filter | undefined }
