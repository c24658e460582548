import type { SsoRefusal } from "@orgplane/schema/sso"
import { SsoRefused } from "../../ports/sso.ts"

/**
 * Throws, because a response is validated in many small steps, any of which can reject it. The error is caught in one
 * place.
 */
export const refuse = (code: SsoRefusal, message: string): never => {
  throw new SsoRefused({ code, message })
}
