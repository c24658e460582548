import type * as Document from "@orgplane/schema/shared/configuration-document"
import * as Effect from "effect/Effect"
import type { ApprovalSettingsService } from "../../../content/approvals/settings-service.ts"
import type { Kind } from "../kind.ts"

type Entry = typeof Document.ApprovalSettingsEntry.Type

/** The delivery mode of the organization, and whether approvals need a second person. */
export const approvalSettingsKind = (settings: ApprovalSettingsService["Service"]): Kind => ({
  kind: "approvalSettings",
  permissions: { read: ["approvals:read"], write: "approvals:manage", remove: "approvals:manage" },
  read: (caller) =>
    Effect.map(settings.get(caller), (item) => [
      { id: caller.organizationId, version: null, name: "Approval settings", item: { ...item } }
    ]),
  normalize: (item) => item,
  references: () => [],
  update: (caller, _current, fields: Entry) => settings.update(caller, fields).pipe(Effect.asVoid)
})
