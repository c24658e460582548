/** The well-known URLs of OAuth metadata, in the order in which they are tried. */
import { withoutTrailing } from "../../infra/normalize.ts"

const pathOf = (url: URL): string => (url.pathname === "/" ? "" : withoutTrailing(url.pathname, "/"))

/** RFC 9728: the server's path inserted after the well-known prefix, then the root of its origin. */
export const resourceMetadataUrls = (server: URL): ReadonlyArray<string> => {
  const root = `${server.origin}/.well-known/oauth-protected-resource`
  const path = pathOf(server)
  return path === "" && server.search === "" ? [root] : [`${root}${path}${server.search}`, root]
}

/** RFC 8414 with the path inserted, OpenID Connect with the path inserted, OpenID Connect with the path before it. */
export const issuerMetadataUrls = (issuer: URL): ReadonlyArray<string> => {
  const path = pathOf(issuer)
  const { origin } = issuer
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`
  ]
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`]
}

/** The `resource` parameter of a server without a document that states it. */
export const canonicalResource = (server: URL): string =>
  server.pathname === "/" && server.search === "" ? server.origin : `${server.origin}${server.pathname}${server.search}`

const withSlash = (path: string) => (path.endsWith("/") ? path : `${path}/`)

/** Whether a document about `resource` applies to the server: `resource` is the server's URL or a parent of it. */
export const coversServer = (resource: string, server: URL): boolean => {
  const url = URL.parse(resource)
  return (
    url !== null &&
    url.origin === server.origin &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "" &&
    (url.search === "" || url.search === server.search) &&
    withSlash(server.pathname).startsWith(withSlash(url.pathname))
  )
}

/** Exact equality, except that an empty path equals `/`. */
export const sameIssuer = (left: string, right: string): boolean => {
  const plain = (issuer: string) => {
    const url = URL.parse(issuer)
    return url !== null && url.search === "" && url.hash === "" && issuer === url.href && url.pathname === "/"
      ? url.origin
      : issuer
  }
  return plain(left) === plain(right)
}
