import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { otherVariables, unknownVariables } from "./unknown-variables.ts"
import { variables } from "./variables.ts"

describe("unknown variables", () => {
  it("are named with the known variable that was probably meant", () => {
    expect(
      unknownVariables({
        PATH: "/bin",
        ORGPLANE_PORT: "8787",
        ORGPLANE_DATABSE_URL: "postgres://h/d",
        ORGPLANE_SMTP: "smtp://h",
        orgplane_public_url: "https://orgplane.example",
        ORGPLANE_COLOR: "blue",
        ORGPLANE_TOKEN: "the CLI reads it"
      })
    ).toEqual([
      { name: "ORGPLANE_COLOR", suggestion: undefined },
      { name: "ORGPLANE_DATABSE_URL", suggestion: "ORGPLANE_DATABASE_URL" },
      { name: "orgplane_public_url", suggestion: "ORGPLANE_PUBLIC_URL" },
      { name: "ORGPLANE_SMTP", suggestion: "ORGPLANE_SMTP_URL" }
    ])
  })

  it("are not those that Kubernetes sets for services", () => {
    const tcp = "tcp://10.0.0.1:5432"
    expect(
      unknownVariables({
        ORGPLANE_SERVICE_HOST: "10.0.0.1",
        ORGPLANE_SERVICE_PORT_HTTP: "80",
        ORGPLANE_PORT_80_TCP: tcp,
        ORGPLANE_PORT_80_TCP_PROTO: "tcp",
        ORGPLANE_POSTGRES_PORT: tcp
      })
    ).toEqual([])
    expect(unknownVariables({ ORGPLANE_POSTGRES_PORT: "5432" })).toHaveLength(1)
  })

  it("are not those of the CLI and the client", () => {
    const packages = join(import.meta.dirname, "../../../..")
    const names = ["cli/src", "client/src"].flatMap((folder) =>
      readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts") && !name.includes("generated"))
        .flatMap((name) => readFileSync(join(packages, folder, name), "utf8").match(/ORGPLANE_[A-Z_]+[A-Z]/g) ?? [])
    )
    const own = new Set(names.filter((name) => !Object.hasOwn(variables, name)))
    expect([...own].toSorted()).toEqual(otherVariables)
  })
})
