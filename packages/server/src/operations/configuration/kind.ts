import type { ChangedKind } from "@orgplane/schema/configuration"
import type { Kind as KindName } from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import type { PlanRequired } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

export type ChangedKind = typeof ChangedKind.Type
/** An object as in the document, without its key. */
export type Item = Readonly<Record<string, unknown>>

/** An object of the organization. */
export interface Current {
  readonly id: string
  readonly version: number | null
  readonly name: string
  readonly item: Item
  /** Another system manages the object, so it is never removed for not being in the document. */
  readonly isManagedElsewhere?: boolean
}

/** An element of the document that refers to something else. */
export type Reference =
  | { readonly path: ReadonlyArray<string | number>; readonly email: string }
  | { readonly path: ReadonlyArray<string | number>; readonly kind: KindName; readonly key: string }

/** Translates between IDs and the keys and email addresses of the document. */
export interface Names {
  readonly keyOf: (kind: KindName, id: string) => string | undefined
  readonly idOf: (kind: KindName, key: string) => string | undefined
  readonly emailOf: (membershipId: string) => string | undefined
  readonly membershipOf: (email: string) => Id<"om"> | undefined
}

/**
 * How one kind of object is read and changed. Changes go through the service of the kind, so its rules apply to them and
 * each is audited.
 */
export interface Kind {
  readonly kind: ChangedKind
  readonly permissions: {
    readonly read: ReadonlyArray<Permission>
    readonly write: Permission
    readonly remove: Permission
  }
  /** The kinds that entries refer to by key. */
  readonly refersTo?: ReadonlyArray<KindName>
  /** The feature of the organization's plan that a change needs. */
  readonly feature?: typeof PlanRequired.Type.feature
  readonly read: (caller: Member, names: Names) => Effect.Effect<ReadonlyArray<Current>, SqlError>
  /** The form in which items are compared and exported. */
  readonly normalize: (item: Item) => Item
  readonly references: (item: Item) => ReadonlyArray<Reference>
  /** Returns the ID of the new object. */
  readonly create?: (caller: Member, item: Item, names: Names) => Effect.Effect<string, unknown>
  /** Changes the fields, which all differ from the current ones. */
  readonly update: (caller: Member, current: Current, fields: Item, names: Names) => Effect.Effect<void, unknown>
  readonly remove?: (caller: Member, current: Current) => Effect.Effect<void, unknown>
}

/** The caller of a change to an object that must not have changed since it was read. */
export const at = (caller: Member, { version }: Current): Member =>
  version === null ? caller : { ...caller, request: { ...caller.request, ifMatch: `"${version}"` } }
