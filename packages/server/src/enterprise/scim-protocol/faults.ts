import { ScimFault, type ScimType } from "../../infra/scim/language/index.ts"

/** The same for what never was, what was removed, and what is another directory's or organization's. */
export const absent = () => new ScimFault({ status: 404, detail: "No such resource." })

export const taken = (detail: string) => new ScimFault({ status: 409, scimType: "uniqueness", detail })

export const wrong = (detail: string) => new ScimFault({ status: 400, scimType: "invalidValue", detail })

const schema = "urn:ietf:params:scim:api:messages:2.0:Error"

/** A refusal as it is told (RFC 7644, 3.12). */
export const errorOf = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: [schema],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail
})
