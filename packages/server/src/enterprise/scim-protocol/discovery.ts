import { bodyBytesMax, bulkOperationsMax, countMax } from "@orgplane/schema/scim-protocol"
import { type JsonObject, resourceTypeDocuments, schemaDocuments } from "../../infra/scim/language/index.ts"

/** The supported features of the protocol and their limits (RFC 7643, 5). */
export const serviceProviderConfig = (baseUrl: string): JsonObject => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: true, maxOperations: bulkOperationsMax, maxPayloadSize: bodyBytesMax },
  filter: { supported: true, maxResults: countMax },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "SCIM token",
      description: "The token returned when the directory was created, as a bearer token.",
      specUri: "https://www.rfc-editor.org/info/rfc6750",
      primary: true
    }
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${baseUrl}/ServiceProviderConfig` }
})

const named = (documents: ReadonlyArray<JsonObject & { readonly id: string }>, id: string) =>
  documents.find((document) => document.id.toLowerCase() === id.toLowerCase())

export const resourceTypesOf = resourceTypeDocuments
export const schemasOf = schemaDocuments
export const resourceTypeOf = (baseUrl: string, id: string) => named(resourceTypeDocuments(baseUrl), id)
export const schemaOf = (baseUrl: string, id: string) => named(schemaDocuments(baseUrl), id)
