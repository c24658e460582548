import { ScimFault } from "./fault.ts"

/** The fault of a rejected input, such as "400 invalidFilter", or "no fault". */
export const faultOf = (read: () => unknown): string => {
  try {
    read()
    return "no fault"
  } catch (fault) {
    if (fault instanceof ScimFault) return `${fault.status} ${fault.scimType ?? ""}`.trim()
    throw fault
  }
}
