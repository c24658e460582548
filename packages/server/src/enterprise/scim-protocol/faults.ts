import { ScimFault, type ScimType } from "../../infra/scim/language/index.ts"

/** The same for resources that never existed, were removed, or belong to another directory or organization. */
export const notFound = () => new ScimFault({ status: 404, detail: "No such resource." })

export const uniqueness = (detail: string) => new ScimFault({ status: 409, scimType: "uniqueness", detail })

export const invalidValue = (detail: string) => new ScimFault({ status: 400, scimType: "invalidValue", detail })

const schema = "urn:ietf:params:scim:api:messages:2.0:Error"

/** The body of an error response (RFC 7644, 3.12). */
export const errorOf = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: [schema],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail
})
