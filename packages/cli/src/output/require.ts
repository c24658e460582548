import { createRequire } from "node:module"

/**
 * Lets sources that run without a bundler load packages with `require` when they first need them. A bundler includes
 * these packages, and defines `require` itself.
 */
export const enableRequire = (): void => {
  if (typeof require === "undefined") globalThis.require = createRequire(import.meta.url)
}
