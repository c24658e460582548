import type { ChangedKind, ConfigurationTooLarge } from "@orgplane/schema/configuration"
import { type Kind as KindName, type Singleton, singletons } from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { type Forbidden, InvalidRequest, type PlanRequired } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import type { GrantedKind } from "../../identity/grants/index.ts"

export type ChangedKind = typeof ChangedKind.Type
/** An object as in the document, without its key. */
export type Item = Readonly<Record<string, unknown>>
export type Path = ReadonlyArray<string | number>

const singletonNames: ReadonlySet<string> = new Set(singletons)
/** Whether the kind is one object without a key. */
export const isSingleton = (kind: ChangedKind): kind is Singleton => singletonNames.has(kind)

/** What an object is found by. */
export interface Named {
  readonly id: string
  readonly name: string
}

/** An object of the organization. */
export interface Current extends Named {
  readonly version: number | null
  readonly item: Item
  /** Another system manages the object, so it is never removed for not being in the document. */
  readonly isManagedElsewhere?: boolean
}

/** An element of the document that refers to another object. */
export interface KeyReference {
  readonly path: Path
  readonly kind: KindName
  readonly key: string
}
/** An element of the document that refers to something else. */
export type Reference = { readonly path: Path; readonly email: string } | KeyReference

/** Translates between IDs and the keys and email addresses of the document. */
export interface Names {
  readonly keyOf: (kind: KindName, id: string) => string | undefined
  readonly idOf: (kind: KindName, key: string) => string | undefined
  readonly emailOf: (membershipId: string) => string | undefined
  readonly membershipOf: (email: string) => Id<"om"> | undefined
  readonly isMember: (membershipId: string) => boolean
}

export type Read<A> = Effect.Effect<A, SqlError | ConfigurationTooLarge | Forbidden>

/** What a change has besides the new values. */
export interface Making {
  readonly names: Names
  /** The object as in the document, before it was normalized, for the locations of errors. */
  readonly stated: Item
}

/** A field whose value is a secret. In the document it is a reference. */
export interface SecretField {
  readonly field: string
  /** The fields whose change removes the current secret. */
  readonly resetBy: ReadonlyArray<string>
}

/** The value of a secret field of an object that has a secret. */
export const currentSecret = "(current secret)"

/** The secrets of a kind. Changes receive them as `Redacted` in place of their references. */
export interface KindSecrets {
  /** Begins the names of the environment variables in an export. */
  readonly prefix: string
  readonly fields: ReadonlyArray<SecretField>
  /** The form in which values are compared. Default: unchanged. */
  readonly normalize?: (field: string, value: string) => string
  /** The current secret; undefined if there is none or it no longer works. */
  readonly read: (
    caller: Member,
    current: Current,
    field: string
  ) => Effect.Effect<Redacted.Redacted | undefined, SqlError>
}

/**
 * How one kind of object is read and changed. Changes go through the service of the kind, so its rules apply to them and
 * each is audited.
 */
export interface Kind {
  readonly kind: ChangedKind
  /** The kinds whose keys its items contain. Their objects are read with this kind, and the caller must be able to read them. */
  readonly refersTo?: ReadonlyArray<KindName>
  /** The feature of the organization's plan that a change needs. */
  readonly feature?: typeof PlanRequired.Type.feature
  /** Objects to which access is granted: the caller must have access to all of them. */
  readonly grantedAs?: ReadonlyArray<GrantedKind>
  readonly permissions: {
    readonly read: ReadonlyArray<Permission>
    readonly write: Permission
    readonly remove: Permission
    /** Further permissions that changes of single fields require. */
    readonly fields?: Readonly<Record<string, Permission>>
  }
  readonly read: (caller: Member, names: Names) => Read<ReadonlyArray<Current>>
  /** For kinds with much content: the same objects without it, for their keys. */
  readonly readNames?: (caller: Member, names: Names) => Read<ReadonlyArray<Named>>
  readonly secrets?: KindSecrets
  /** The form in which items are compared and exported. */
  readonly normalize: (item: Item) => Item
  /** The references of an item as in the document. */
  readonly references: (item: Item) => ReadonlyArray<Reference>
  /** Returns the ID of the new object. */
  readonly create?: (caller: Member, item: Item, making: Making) => Effect.Effect<string, unknown>
  /** Changes the fields, which all differ from the current ones, or all fields if a secret must be set again. */
  readonly update: (caller: Member, current: Current, fields: Item, making: Making) => Effect.Effect<void, unknown>
  readonly remove?: (caller: Member, current: Current) => Effect.Effect<void, unknown>
  /** How a plan shows the values of a field, for fields with long content. Undefined for a value that does not exist. */
  readonly shown?: (field: string, before: unknown, after: unknown) => readonly [before: unknown, after: unknown]
}

/** The kind without the content of its objects. */
export const withoutContent = (kind: Kind): Kind => {
  const { readNames } = kind
  if (readNames === undefined) return kind
  const read: Kind["read"] = (caller, names) =>
    Effect.map(readNames(caller, names), (rows) => rows.map(({ id, name }) => ({ id, name, version: null, item: {} })))
  return { ...kind, read }
}

/** Fails if an imported object has fields that come from its repository, or if the source of an object changes. */
export const demandOwnFields = ({ isManagedElsewhere }: Current, fields: Item) => {
  if (fields["source"] !== undefined) {
    return Effect.fail(InvalidRequest.at(["source"], "cannot be changed, because the key belongs to another object"))
  }
  return isManagedElsewhere === true && fields["name"] !== undefined
    ? Effect.fail(InvalidRequest.at(["name"], "comes from the repository. Replace it with the `source` of the object"))
    : Effect.void
}

/** The caller of a change to an object that must not have changed since it was read. */
export const at = (caller: Member, { version }: Pick<Current, "version">): Member =>
  version === null ? caller : { ...caller, request: { ...caller.request, ifMatch: `"${version}"` } }
