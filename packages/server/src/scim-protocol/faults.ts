import { ScimFault } from "../scim/language/index.ts"

/** The same for what never was, what was removed, and what is another directory's or organization's. */
export const absent = () => new ScimFault({ status: 404, detail: "No such resource." })

export const taken = (detail: string) => new ScimFault({ status: 409, scimType: "uniqueness", detail })

export const wrong = (detail: string) => new ScimFault({ status: 400, scimType: "invalidValue", detail })
