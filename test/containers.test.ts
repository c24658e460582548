/** The container image, the Compose file and the Helm chart, against the code. `counterparts` also renders the chart. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { parseArguments } from "../packages/server/src/arguments.ts"
import { readEnvironment } from "../packages/server/src/infra/config/environment.ts"
import { variables } from "../packages/server/src/infra/config/variables.ts"

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8")
const containerfile = read("deploy/container/Containerfile")
const health = read("deploy/container/health.ts")
const composeText = read("deploy/compose/compose.yaml")
const templates = read("deploy/helm/orgplane/templates/_helpers.tpl")
const workloads = ["workload", "migration", "network", "availability", "monitoring"]
  .map((name) => read(`deploy/helm/orgplane/templates/${name}.yaml`))
  .join("\n")
const values = read("deploy/helm/orgplane/values.yaml")
const version: string = JSON.parse(read("packages/server/package.json")).version
const paths = Object.keys(JSON.parse(read("docs/openapi.json")).paths)

interface Service {
  readonly image: string
  readonly command?: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly security_opt?: ReadonlyArray<string>
  readonly mem_limit?: string
  readonly stop_grace_period?: string
}
const compose: { readonly services: Readonly<Record<string, Service>> } = parse(composeText, { merge: true })

/** The variables of orgplane that a text names, without those that a prefix or another name contains. */
const namesIn = (text: string) => new Set([...text.matchAll(/\bORGPLANE_[A-Z][A-Z_]*[A-Z]\b/gu)].map(([name]) => name))

describe("the files in deploy", () => {
  it.each([
    ["Containerfile", containerfile],
    ["health check", health],
    ["Compose file", composeText],
    ["Helm chart", templates + workloads + values]
  ])("%s names only variables that exist", (_, text) => {
    // Compose itself reads this variable, to select the image.
    const ofCompose = ["ORGPLANE_IMAGE"]
    expect([...namesIn(text)].filter((name) => !Object.hasOwn(variables, name) && !ofCompose.includes(name))).toEqual(
      []
    )
  })

  it("request only paths that the API has", () => {
    const requested = [...`${health}${templates}${workloads}`.matchAll(/\/v1\/[a-z/-]+/gu)].map(([path]) => path)
    expect(new Set(requested)).toEqual(new Set(["/v1/ready", "/v1/live", "/v1/metrics"]))
    // The metrics are a page of the operator, which the OpenAPI document does not contain.
    expect(requested.filter((path) => path !== "/v1/metrics" && !paths.includes(path))).toEqual([])
  })

  it("have the version of the server", () => {
    const chart = parse(read("deploy/helm/orgplane/Chart.yaml"))
    expect(chart).toMatchObject({ version, appVersion: version })
    expect(containerfile).toContain(`ARG VERSION=${version}\n`)
    expect(compose.services["orgplane"]?.image).toContain(`:${version}}`)
  })
})

describe("the image", () => {
  const environment = Object.fromEntries(
    [...(/^ENV ([\s\S]*?[^\\])\n/mu.exec(containerfile)?.[1] ?? "").matchAll(/(\w+)=(\S+)/gu)].map(
      ([, name = "", value = ""]) => [name, value]
    )
  )
  it("has an environment that the server accepts, and exposes its port", () => {
    const { dataDir, host, port } = readEnvironment(environment)
    expect({ host, dataDir }).toEqual({ host: "0.0.0.0", dataDir: "/var/lib/orgplane" })
    expect(containerfile).toContain(`\nEXPOSE ${port}\n`)
    expect(containerfile).toContain(`\nVOLUME ["${dataDir}"]\n`)
    for (const text of [templates, composeText]) expect(text).toContain(`/var/lib/orgplane`)
    expect(templates).toContain(`containerPort: ${port}`)
  })
  it("runs as a fixed user that is not root, and stops with SIGTERM", () => {
    expect(containerfile).toContain("\nUSER 10001:10001\n")
    expect(templates).toContain("runAsUser: 10001\n")
    expect(containerfile).toContain("\nSTOPSIGNAL SIGTERM\n")
    expect(containerfile).not.toMatch(/^(?:CMD|ENTRYPOINT) [^[]/mu)
  })
})

describe("the Compose file", () => {
  it.each(Object.entries(compose.services))("%s is restricted", (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] })
    expect(service.mem_limit).toBeDefined()
  })
  it("migrates first, and gives the server time to stop", () => {
    expect(parseArguments(compose.services["migrate"]?.command ?? [])).toMatchObject({ command: "migrate" })
    const { environment, stop_grace_period: grace } = compose.services["orgplane"] ?? { environment: {} }
    const { stop } = readEnvironment({ ...environment, ORGPLANE_PUBLIC_URL: "https://orgplane.example" })
    expect(Number.parseInt(grace ?? "", 10) * 1000).toBeGreaterThan(stop.limitMillis)
  })
})

describe("the Helm chart", () => {
  it("contains the alerts of deploy/prometheus", () => {
    expect(read("deploy/helm/orgplane/alerts.yml")).toBe(read("deploy/prometheus/alerts.yml"))
  })
  it("has a schema with the same values", () => {
    const schema = JSON.parse(read("deploy/helm/orgplane/values.schema.json"))
    expect(
      Object.keys(schema.properties)
        .filter((name) => name !== "global")
        .sort()
    ).toEqual(Object.keys(parse(values)).sort())
  })
})
