import { describe, expect, it } from "vitest"
import { describeEnvironment, Misconfigured, readEnvironment } from "./environment.ts"

describe("ORGPLANE_WEBHOOK_SECRET", () => {
  const secretsOf = (value: string) => readEnvironment({ ORGPLANE_WEBHOOK_SECRET: value }).options.webhookSecrets

  it("accepts one secret, or two separated by a comma or a line break", () => {
    const [one, two] = ["the first secret of all", "the second secret of all"]
    expect(secretsOf(one)).toEqual([one])
    for (const text of [`${one},${two}`, `${one}\n${two}`, ` ${one} , ${two}\r\n`])
      expect(secretsOf(text)).toEqual([one, two])
    expect(readEnvironment({}).options.webhookSecrets).toBeUndefined()
  })

  it.each(["short", "a secret that is long enough,short", "a".repeat(20) + ",b".repeat(20), "a,b,c"])(
    "is rejected without revealing it: %s",
    (value) => {
      expect(() => secretsOf(value)).toThrow(Misconfigured)
      expect(() => secretsOf(value)).toThrow(
        "ORGPLANE_WEBHOOK_SECRET must be one or two secrets of at least 16 characters each."
      )
    }
  )

  it("is printed only as set", () => {
    expect(describeEnvironment({ ORGPLANE_WEBHOOK_SECRET: "the first secret of all" })).toContain(
      "ORGPLANE_WEBHOOK_SECRET = (set)"
    )
  })
})

describe("ORGPLANE_BOOTSTRAP", () => {
  it("is printed only as set when it is a token", () => {
    expect(describeEnvironment({ ORGPLANE_BOOTSTRAP: "off" })).toContain("ORGPLANE_BOOTSTRAP = off")
    expect(describeEnvironment({ ORGPLANE_BOOTSTRAP: "canary-canary-canary" })).toContain("ORGPLANE_BOOTSTRAP = (set)")
  })
})

describe("ORGPLANE_RECONCILE_SECONDS", () => {
  it("is a number of seconds, 900 by default, 0 to turn it off", () => {
    const secondsOf = (value?: string) =>
      readEnvironment(value === undefined ? {} : { ORGPLANE_RECONCILE_SECONDS: value }).options.reconcileSeconds
    expect([secondsOf(), secondsOf("60"), secondsOf("0")]).toEqual([900, 60, 0])
    for (const value of ["-1", "1.5", "soon", "604801"]) expect(() => secondsOf(value)).toThrow(Misconfigured)
  })
})

describe("ORGPLANE_OUTBOUND_ALLOW_HTTP", () => {
  const allowedOf = (value?: string) =>
    readEnvironment(value === undefined ? {} : { ORGPLANE_OUTBOUND_ALLOW_HTTP: value }).options.outbound?.allowHttp

  it("lists ranges and host names, and allows no plain http when it is not set", () => {
    const entries = ["127.0.0.0/8", "::1", "10.0.0.7", "localhost", "mcp.internal", "xn--bcher-kva.example"]
    expect(allowedOf(entries.join(" , "))).toEqual(entries)
    expect(allowedOf()).toEqual([])
  })

  it.each([
    "http://mcp.internal",
    "mcp.internal:8080",
    "mcp.internal/mcp",
    "*.internal",
    "10.0.0.0/33",
    "127.1",
    "10.0.0.256",
    "[::1]",
    "-mcp.internal",
    "mcp..internal",
    "bücher.example",
    "true;"
  ])("rejects %s with a clear message", (value) => {
    expect(() => allowedOf(`localhost,${value}`)).toThrow(
      "ORGPLANE_OUTBOUND_ALLOW_HTTP must list addresses, ranges like 127.0.0.0/8 or host names like mcp.internal, without a scheme, a port or a path."
    )
  })
})

describe("ORGPLANE_DNS_SERVERS", () => {
  const serversOf = (value: string) => readEnvironment({ ORGPLANE_DNS_SERVERS: value }).options.dnsServers

  it("is a list of addresses, with optional ports", () => {
    const servers = ["127.0.0.1:5353", "10.0.0.53", "[2001:db8::1]:53", "[2001:db8::1]", "2001:db8::1"]
    expect(serversOf(servers.join(" , "))).toEqual(servers)
    expect(readEnvironment({}).options.dnsServers).toBeUndefined()
  })

  it.each([
    "dns.example",
    "localhost:53",
    "10.0.0",
    "10.0.0.53:0",
    "10.0.0.53:65536",
    "10.0.0.53:",
    "[10.0.0.1]:53",
    "2001:db8::1:port",
    "1.1.1.1,x"
  ])("is rejected with a clear message: %s", (value) => {
    expect(() => serversOf(value)).toThrow(
      "ORGPLANE_DNS_SERVERS must list addresses like 10.0.0.53, 127.0.0.1:5353 or [2001:db8::1]:53."
    )
  })
})

describe.each(["A", "B"] as const)("ORGPLANE_SUITE_%s_OAUTH", (suiteLetter) => {
  const suite = suiteLetter === "A" ? "suite-a" : "suite-b"
  const [urlName, name] = [`ORGPLANE_SUITE_${suiteLetter}_URL`, `ORGPLANE_SUITE_${suiteLetter}_OAUTH`]
  const url = "https://suite.example/v1.0"
  const app = {
    authorizationUrl: "https://login.example/authorize?tenant=a",
    tokenUrl: "http://10.0.0.1/token",
    clientId: "id",
    clientSecret: "canary secret",
    scopes: ["Mail.ReadWrite"],
    revocationUrl: "https://login.example/revoke",
    issuer: "https://login.example",
    authorizationParameters: { access_type: "offline" }
  }
  const suiteOf = (value: string | undefined, base: string | undefined = url) =>
    readEnvironment({ [urlName]: base, [name]: value }).options.suites?.[suite]

  it("is the app as JSON, together with the suite's URL", () => {
    expect(suiteOf(JSON.stringify(app))).toEqual({ url, oauth: app })
    const { authorizationUrl, clientId, tokenUrl } = app
    const least = { authorizationUrl, tokenUrl, clientId }
    expect(suiteOf(JSON.stringify(least))).toEqual({ url, oauth: least })
    expect(readEnvironment({}).options.suites).toEqual({})
    expect(describeEnvironment({ [name]: JSON.stringify(app) })).toContain(`${name} = (set)`)
  })

  it("requires the suite's URL, which in turn requires the app", () => {
    expect(() => readEnvironment({ [urlName]: url })).toThrow(`${name} must be set when ${urlName} is set.`)
    expect(() => readEnvironment({ [name]: JSON.stringify(app) })).toThrow(
      `${urlName} must be set when ${name} is set.`
    )
    for (const bad of ["suite.example", "ftp://suite.example", "https://u:p@suite.example", `${url}?a=b`, `${url}#a`]) {
      expect(() => suiteOf(JSON.stringify(app), bad)).toThrow(`${urlName} must be an http or https URL`)
    }
  })

  it.each<readonly [string, unknown]>([
    ["no JSON", "{canary"],
    ["a list", []],
    ["nothing", null],
    ["an unknown member", { ...app, canary: 1 }],
    ["no authorizationUrl", { ...app, authorizationUrl: undefined }],
    ["a relative authorizationUrl", { ...app, authorizationUrl: "/canary" }],
    ["a tokenUrl of another scheme", { ...app, tokenUrl: "file:///canary" }],
    ["a tokenUrl with a user", { ...app, tokenUrl: "https://canary:x@login.example" }],
    ["a revocationUrl with a fragment", { ...app, revocationUrl: "https://login.example/#canary" }],
    ["an empty clientId", { ...app, clientId: "" }],
    ["a clientSecret that is not a string", { ...app, clientSecret: 1 }],
    ["no scopes", { ...app, scopes: [] }],
    ["two scopes in one string", { ...app, scopes: ["canary one"] }],
    ["an openid scope", { ...app, scopes: ["openid"] }],
    ["a parameter that OAuth defines", { ...app, authorizationParameters: { state: "canary" } }],
    ["a parameter that is not a string", { ...app, authorizationParameters: { a: { canary: 1 } } }]
  ])("is rejected without revealing it: %s", (_, value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    expect(() => suiteOf(text)).toThrow(Misconfigured)
    try {
      suiteOf(text)
    } catch (error) {
      expect(String(error)).toMatch(new RegExp(`${name} m(ust|ay) `))
      expect(String(error)).not.toContain("canary")
    }
  })
})

describe("ORGPLANE_WORKER_COMMAND", () => {
  const provisionerOf = (environment: Record<string, string>) => readEnvironment(environment).options.provisioner

  it("is a path, or a program with its arguments, run in the data directory", () => {
    expect(readEnvironment({}).options.provisioner).toBeUndefined()
    const provisioner = provisionerOf({ ORGPLANE_WORKER_COMMAND: "/opt/a runtime; echo", ORGPLANE_DATA_DIR: "/data" })
    expect(provisioner).toMatchObject({ command: ["/opt/a runtime; echo"], directory: "/data/workers" })
    const command = JSON.stringify(["node", "runtime.js", ""])
    expect(provisionerOf({ ORGPLANE_WORKER_COMMAND: command })?.command).toEqual(["node", "runtime.js", ""])
  })

  it.each(["[]", '[""]', "[1]", '["node", null]', '["node"', '[["node"]]'])(
    "is rejected with a clear message: %s",
    (value) => {
      expect(() => provisionerOf({ ORGPLANE_WORKER_COMMAND: value })).toThrow(
        "ORGPLANE_WORKER_COMMAND must be a path, or a JSON array of a program and its arguments."
      )
    }
  )

  it("does not pass orgplane's variables to the program", () => {
    const environment = {
      ORGPLANE_WORKER_COMMAND: "/opt/runtime",
      ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
      ORGPLANE_DATABASE_URL: "postgres://user:password@127.0.0.1/db",
      NODE_OPTIONS: "--inspect",
      PATH: "/bin",
      HOME: "/home"
    }
    expect(provisionerOf(environment)?.environment).toEqual({ PATH: "/bin", HOME: "/home" })
  })
})

describe("ORGPLANE_WORKER_HEARTBEAT_SECONDS", () => {
  it("is a whole number of seconds, 30 by default", () => {
    const secondsOf = (value?: string) =>
      readEnvironment(value === undefined ? {} : { ORGPLANE_WORKER_HEARTBEAT_SECONDS: value }).options
        .workerHeartbeatSeconds
    expect([secondsOf(), secondsOf("1"), secondsOf("3600")]).toEqual([30, 1, 3600])
    for (const value of ["0", "-1", "1.5", "soon", "3601", "NaN"]) expect(() => secondsOf(value)).toThrow(Misconfigured)
  })
})

describe("ORGPLANE_PLATFORM_ADMINS", () => {
  const adminsOf = (value: string) => readEnvironment({ ORGPLANE_PLATFORM_ADMINS: value }).options.platformAdmins

  it("is a list of email addresses, empty by default", () => {
    expect(readEnvironment({}).options.platformAdmins ?? []).toEqual([])
    expect(adminsOf("one@example.com, Two@example.com")).toEqual(["one@example.com", "Two@example.com"])
    for (const value of ["*", "@example.com", "one@", "one@example.com two@example.com", "one@example..com"])
      expect(() => adminsOf(value)).toThrow(Misconfigured)
  })
})

describe("ORGPLANE_EMBEDDINGS_URL", () => {
  const names = ["ORGPLANE_EMBEDDINGS_URL", "ORGPLANE_EMBEDDINGS_MODEL", "ORGPLANE_EMBEDDINGS_KEY"] as const
  const embeddingsOf = (...values: ReadonlyArray<string | undefined>) =>
    readEnvironment(Object.fromEntries(names.map((name, at) => [name, values[at]]))).options.embeddings
  const url = "http://10.0.0.7:8080/v1/embeddings"

  it("requires a model and accepts a key; without it no text is sent", () => {
    expect(embeddingsOf()).toBeUndefined()
    expect(embeddingsOf(url, "small")).toEqual({ url, model: "small" })
    expect(embeddingsOf(url, "small", "canary")).toEqual({ url, model: "small", apiKey: "canary" })
    expect(describeEnvironment({ [names[2]]: "canary" })).toContain(`${names[2]} = (set)`)
  })

  it("is rejected without revealing it", () => {
    const bad: ReadonlyArray<readonly [name: string, ...values: ReadonlyArray<string | undefined>]> = [
      [names[0], undefined, "small"],
      [names[0], undefined, undefined, "canary"],
      [names[0], "ftp://canary", "small"],
      [names[0], "https://canary:x@models.example", "small"],
      [names[0], "https://models.example/#canary", "small"],
      [names[1], url],
      [names[1], url, "canary".repeat(50)],
      [names[2], url, "small", "canary canary"],
      [names[2], url, "small", "canary\r\nx-canary: 1"]
    ]
    for (const [name, ...values] of bad) {
      expect(() => embeddingsOf(...values)).toThrow(new RegExp(`^${name} must (?!.*canary)`))
    }
  })
})

describe("ORGPLANE_DATABASE_URL and its limits", () => {
  const database = (more: Readonly<Record<string, string>>) =>
    readEnvironment({ ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one", ...more }).options

  it("accepts several hosts, a timeout and a minimum of free disk space", () => {
    const url = "postgres://u:p@h1:5432,h2:5432/db?target_session_attrs=read-write"
    expect(database({ ORGPLANE_DATABASE_URL: url })).toMatchObject({
      database: { kind: "postgres", url },
      databaseTimeoutSeconds: 10,
      diskFreeMinMiB: 256
    })
    expect(database({ ORGPLANE_DATABASE_TIMEOUT_SECONDS: "300", ORGPLANE_DISK_FREE_MIN_MIB: "0" })).toMatchObject({
      databaseTimeoutSeconds: 300,
      diskFreeMinMiB: 0
    })
  })

  it.each([
    ["ORGPLANE_DATABASE_URL", "postgres://u:canary@h/db?target_session_attrs=standby"],
    ["ORGPLANE_DATABASE_TIMEOUT_SECONDS", "0"],
    ["ORGPLANE_DATABASE_TIMEOUT_SECONDS", "301"],
    ["ORGPLANE_DISK_FREE_MIN_MIB", "1.5"]
  ])("refuses a malformed %s", (name, value) => {
    expect(() => database({ [name]: value })).toThrow(new RegExp(`^${name} must (?!.*canary)`))
  })
})
