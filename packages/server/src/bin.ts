#!/usr/bin/env node
/**
 * The installed program. It imports nothing before it has checked the version of Node.js: an older one could not load the
 * modules, and would fail with a message about one of them.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `orgplane-server requires Node.js 22.19 or newer, but the current version is ${process.versions.node}.\n`
  )
  process.exitCode = 1
} else {
  await import("./main.ts")
}

export {}
