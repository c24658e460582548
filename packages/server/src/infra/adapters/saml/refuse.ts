import type { SsoRefusal } from "@orgplane/schema/sso"
import { SsoRefused } from "../../ports/sso.ts"

/** Thrown, because a response is judged in many small steps, each of which ends the judgement; caught in one place. */
export const refuse = (code: SsoRefusal, message: string): never => {
  throw new SsoRefused({ code, message })
}
