/** The digest that binds an apply to the plan that was reviewed. */
import type { Change } from "@orgplane/schema/configuration"
import type { Document } from "@orgplane/schema/shared/configuration-document"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { startSha256 } from "../../infra/crypto/digest.ts"
import type { Steps } from "../../infra/time-slices.ts"
import type { Entries } from "./entry.ts"
import type { Reference } from "./kind.ts"
import type { State } from "./state.ts"

interface Digested {
  readonly organizationId: string
  readonly document: Document
  readonly entries: Entries
  readonly state: State
  /** Covers what follows from values that are not in the state, such as whether a secret would change. */
  readonly changes: ReadonlyArray<Change>
  /** The names of the secrets, and a digest of each value. */
  readonly secrets: ReadonlyArray<readonly [name: string, digest: string]>
}

/** A digest of the document, of the objects that it describes and refers to, and of the changes; one object per piece. */
export const planDigestOf = function* ({
  changes,
  document,
  entries,
  organizationId,
  secrets,
  state
}: Digested): Steps<string> {
  const { names, objects } = state
  const digest = startSha256()
  const add = (...value: ReadonlyArray<unknown>) => digest.update(Buffer.from(`${canonicalJson(value)}\n`))
  const resolved = (reference: Reference) =>
    "email" in reference
      ? [reference.email, names.membershipOf(reference.email) ?? null]
      : [reference.kind, reference.key, names.idOf(reference.kind, reference.key) ?? null]
  add("document", organizationId, document.prune ?? {}, document.moved ?? [], secrets)
  for (const change of changes) {
    yield add("change", change)
  }
  for (const [kind, list] of entries) {
    for (const { item, key, stated } of list) {
      // The item is normalized for comparison: its defaults, lists and letter case.
      yield add("entry", kind.kind, key, item, kind.references(stated).map(resolved))
    }
  }
  for (const [kind, list] of objects) {
    for (const { id, isStored, item, key, version } of list) {
      yield add("object", kind, id, key, isStored, version, item)
    }
  }
  return digest.digest()
}
