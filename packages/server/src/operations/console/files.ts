/** The static files of the console, which are read once and sent compressed. */
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { escapeHtml } from "../../infra/http/html.ts"
import { matchesEtag } from "../../infra/http/edge.ts"

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

interface StaticFile {
  readonly type: string
  readonly etag: string
  /** By content coding; `identity` is the file itself. */
  readonly bodies: ReadonlyMap<string, Uint8Array>
}

export interface ConsoleFiles {
  readonly page: StaticFile
  /** By path, such as `assets/index-B1x.js`. */
  readonly files: ReadonlyMap<string, StaticFile>
}

/** Scripts, styles and data come from the console's own origin; nothing is inline, and no other page can frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join("; ")

const pageHeaders = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()"
}

/** Without the prefix `W/` of the header: a compressed copy has the same tag. */
const etagOf = (content: Buffer) => `"${sha256Bytes(content.toString("latin1")).toString("base64url").slice(0, 22)}"`

/** What the page has to know of the server. */
export interface PageSettings {
  /** Where the console is served, such as `/console`. */
  readonly path: string
  /** The sign-in page of the host application. */
  readonly signInUrl: string | undefined
}

/** The page with the settings of this server. The build's URLs are relative, so that the console works below any path. */
const pageOf = (index: string, { path, signInUrl }: PageSettings): StaticFile => {
  const signIn = signInUrl === undefined ? "" : `<meta name="orgplane-sign-in" content="${escapeHtml(signInUrl)}">`
  const content = Buffer.from(index.replace("<head>", `<head><base href="${escapeHtml(`${path}/`)}">${signIn}`))
  const bodies = new Map<string, Uint8Array>([
    ["identity", content],
    ["br", brotliCompressSync(content)],
    ["gzip", gzipSync(content)]
  ])
  return { type: "text/html; charset=utf-8", etag: etagOf(content), bodies }
}

/** Reads a directory that the build of the console has written. */
export const readConsole = async (directory: string, settings: PageSettings): Promise<ConsoleFiles> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"))
  const contents = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))] as const))
  )
  const files = new Map<string, StaticFile>()
  for (const [name, content] of contents) {
    const type = types[extname(name)]
    if (type === undefined || name === "index.html") continue
    const bodies = new Map<string, Uint8Array>([["identity", content]])
    for (const [coding, extension] of [
      ["br", ".br"],
      ["gzip", ".gz"]
    ] as const) {
      const compressed = contents.get(name + extension)
      if (compressed !== undefined) bodies.set(coding, compressed)
    }
    files.set(name, { type, etag: etagOf(content), bodies })
  }
  const index = contents.get("index.html")?.toString("utf8")
  if (index === undefined) throw new Error("The files of the console are incomplete: index.html is missing.")
  return { page: pageOf(index, settings), files }
}

const codingOf = (accepted: string | undefined, bodies: StaticFile["bodies"]) =>
  ["br", "gzip"].find(
    (coding) =>
      bodies.has(coding) &&
      (accepted ?? "").split(",").some((each) => {
        const [name, quality] = each.toLowerCase().split(";")
        return name?.trim() === coding && Number(quality?.split("=")[1] ?? 1) > 0
      })
  ) ?? "identity"

/** The file at a path of the console, or its page, whose script shows the rest of the path. */
export const serveConsole = (
  { files, page }: ConsoleFiles,
  name: string,
  { headers }: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse | undefined => {
  const isAsset = name.startsWith("assets/")
  const file = files.get(name) ?? (isAsset ? undefined : page)
  if (file === undefined) return undefined
  const common = {
    etag: `W/${file.etag}`,
    // The name of an asset contains a digest of its content.
    "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "Accept-Encoding",
    ...(file === page ? pageHeaders : {})
  }
  if (matchesEtag(headers["if-none-match"], file.etag)) {
    return HttpServerResponse.empty({ status: 304, headers: common })
  }
  const coding = codingOf(headers["accept-encoding"], file.bodies)
  return HttpServerResponse.uint8Array(file.bodies.get(coding) ?? new Uint8Array(), {
    contentType: file.type,
    headers: { ...common, ...(coding === "identity" ? {} : { "content-encoding": coding }) }
  })
}

const unavailablePage = (text: string, refreshSeconds?: number): HttpServerResponse.HttpServerResponse => {
  const refresh = refreshSeconds === undefined ? "" : `<meta http-equiv="refresh" content="${refreshSeconds}">`
  return HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">${refresh}<title>orgplane</title></head><body><main><h1>orgplane</h1><p>${escapeHtml(text)}</p></main></body></html>`,
    {
      status: 503,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...pageHeaders,
        "cache-control": "no-store",
        ...(refreshSeconds === undefined ? {} : { "retry-after": String(refreshSeconds) })
      }
    }
  )
}

/** The page while the console is built, which a checkout does once. It loads itself again. */
export const waitingPage = (): HttpServerResponse.HttpServerResponse =>
  unavailablePage("The console is being built. This page loads it when it is ready.", 1)

/** The page if the console cannot be served. */
export const failedPage = (problem: string): HttpServerResponse.HttpServerResponse =>
  unavailablePage(`${problem} The API is not affected.`)
