/**
 * Builds the container image of this version and pushes it: `node scripts/release/image.ts --image <repository>
 * [--metadata file] [--dry-run]`. With `--dry-run`, it prints the command.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { manifestOf } from "./sbom.ts"

const root = join(import.meta.dirname, "../..")

/** What the image is built from. */
export interface ImageSource {
  readonly image: string
  readonly version: string
  readonly revision: string
  /** The time of the commit, so that the same commit has the same labels. */
  readonly created: string
}

/** The arguments of `docker`. */
export const imageArguments = ({ created, image, revision, version }: ImageSource): ReadonlyArray<string> => [
  ...["buildx", "build", "--platform", "linux/amd64,linux/arm64", "--file", "deploy/container/Containerfile"],
  ...["--build-arg", `VERSION=${version}`, "--build-arg", `REVISION=${revision}`, "--build-arg", `CREATED=${created}`],
  ...["--provenance=mode=max", "--sbom=true", "--tag", `${image}:${version}`, "--push"]
]

if (import.meta.main) {
  const { values } = parseArgs({
    options: { image: { type: "string" }, metadata: { type: "string" }, "dry-run": { type: "boolean", default: false } }
  })
  if (values.image === undefined) throw new Error("--image is required, such as --image ghcr.io/example/orgplane.")
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()
  const args = [
    ...imageArguments({
      image: values.image,
      version: manifestOf("server").version,
      revision: git("rev-parse", "HEAD"),
      created: git("log", "-1", "--format=%cI")
    }),
    ...(values.metadata === undefined ? [] : ["--metadata-file", values.metadata]),
    "."
  ]
  if (values["dry-run"]) console.log(`would run docker ${args.join(" ")}`)
  else execFileSync("docker", args, { cwd: root, stdio: "inherit" })
}
