import { withoutTrailing } from "../normalize.ts"
import type { ControlPlaneOptions } from "../options.ts"

/** The public URL of everything below the path prefix. A `publicUrl` with its own path is used unchanged. */
export const publicUrlOf = ({ pathPrefix = "/", publicUrl = "http://localhost" }: ControlPlaneOptions): string =>
  withoutTrailing(
    new URL(publicUrl).pathname === "/" ? `${withoutTrailing(publicUrl, "/")}${pathPrefix}` : publicUrl,
    "/"
  )

/** The URL of the console; null if it is not served. */
export const consoleUrlOf = (options: ControlPlaneOptions): string | null =>
  options.console === undefined || options.console === false ? null : `${publicUrlOf(options)}/console`

/** The link in an email points to a page of the host application if one is configured, otherwise to a built-in page. */
export const linksOf = (options: ControlPlaneOptions) => {
  const own = publicUrlOf(options)
  const link = (configured: string | undefined, path: string) => {
    if (configured === undefined) return own + path
    if (!URL.canParse(configured) || configured.includes("#"))
      throw new Error(`"${configured}" is not a valid link. Use an absolute URL without a fragment (#).`)
    return configured
  }
  const { claim, invitation, signIn } = options.links ?? {}
  return {
    signIn: link(signIn, "/sign-in"),
    invitation: link(invitation, "/invitation"),
    claim: link(claim, "/claim")
  }
}
