import { expect, it } from "vitest"
import { parsePostgresUrl } from "./postgres-url.ts"

const hostsOf = (url: string) => {
  const target = parsePostgresUrl(url)
  return typeof target === "string" ? target : target.hosts.map(({ host, port }) => `${host} ${port}`)
}

it("parses several hosts, their ports, IPv6 addresses, socket directories and hosts in the query", () => {
  expect(hostsOf("postgres://u:p@db1:5433,db2/db")).toEqual(["db1 5433", "db2 5432"])
  expect(hostsOf("postgresql://[2001:db8::1]:6000,[::1],127.0.0.1:1/db")).toEqual([
    "2001:db8::1 6000",
    "::1 5432",
    "127.0.0.1 1"
  ])
  expect(hostsOf("postgres://%2Fvar%2Frun:5433/db")).toEqual(["/var/run 5433"])
  expect(hostsOf("postgres:///db")).toEqual(["localhost 5432"])
  expect(hostsOf("postgres:///db?host=a,b&port=1,2")).toEqual(["a 1", "b 2"])
  expect(hostsOf("postgres://h1,h2/db?port=7")).toEqual(["h1 7", "h2 7"])
})

it("parses credentials, database, TLS, timeouts and target_session_attrs", () => {
  expect(
    parsePostgresUrl(
      "postgres://us%40er:p%3Aa@s:s@h1,h2/d%20b?target_session_attrs=read-write&sslmode=require&connect_timeout=3&application_name=a"
    )
  ).toMatchObject({
    username: "us@er",
    password: "p:a@s:s",
    database: "d b",
    tls: "required",
    connectMillis: 3000,
    applicationName: "a",
    sessionAttrs: "read-write"
  })
  expect(parsePostgresUrl("postgres://h/db")).toMatchObject({
    username: undefined,
    password: undefined,
    tls: "off",
    connectMillis: 5000,
    sessionAttrs: "any"
  })
})

it.each([
  ["mysql://canary@h/db", "must be a postgres:// URL"],
  ["postgres://canary@h:0/db", "must have ports from 1 to 65535"],
  ["postgres://canary@h:5,:x/db", "must have ports from 1 to 65535"],
  ["postgres://canary@::1/db", "must list hosts as host:port, and IPv6 addresses as [address]:port"],
  ["postgres://canary@[h]/db", "must have an IPv6 address between brackets"],
  ["postgres://%zzcanary@h/db", "must percent-encode its user correctly"],
  ["postgres://canary@h1,h2/db?port=1,2,3", "must have one port for all hosts, or one for each"],
  ["postgres://canary@h/db?sslmode=canary", /^must have an sslmode of disable, allow, /],
  ["postgres://canary@h/db?connect_timeout=301", "must have a connect_timeout of 0 to 300 seconds"],
  [
    "postgres://canary@h/db?target_session_attrs=standby",
    "must have target_session_attrs of any, read-write, primary: this server requires a database that accepts writes"
  ],
  [`postgres://canary@${"h,".repeat(16)}h/db`, "must list at most 16 hosts"]
])("rejects %s with a message that does not repeat the URL", (url, phrase) => {
  const fault = parsePostgresUrl(url)
  expect(fault).toMatch(phrase)
  expect(JSON.stringify(fault)).not.toContain("canary")
})
