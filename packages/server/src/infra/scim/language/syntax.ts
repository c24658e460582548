import type { Name } from "./schemas.ts"

export type Operator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le"
export type Literal = string | number | boolean | null

/** A parsed filter; its attributes are checked when it is used. */
export type Filter =
  | { readonly kind: "and" | "or"; readonly filters: ReadonlyArray<Filter> }
  | { readonly kind: "not"; readonly filter: Filter }
  | { readonly kind: "present"; readonly name: Name }
  | { readonly kind: "compare"; readonly name: Name; readonly operator: Operator; readonly value: Literal }
  /** `emails[type eq "work"]`: one value matches the whole filter. */
  | { readonly kind: "value"; readonly name: Name; readonly filter: Filter }

/** The target of a PATCH operation. */
export type Path =
  | { readonly kind: "schema"; readonly schema: string }
  | { readonly kind: "attribute"; readonly name: Name; readonly filter: Filter | undefined }
