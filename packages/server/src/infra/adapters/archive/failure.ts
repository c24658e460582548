import { RemoteFailed } from "../../ports/remote-content.ts"

export const failed = (code: RemoteFailed["code"], message: string): RemoteFailed => new RemoteFailed({ code, message })

export const tooLarge = (what: string): RemoteFailed => failed("too_large", `it is larger than is accepted: ${what}`)

export const damaged = (): RemoteFailed => failed("damaged", "the archive is damaged")
