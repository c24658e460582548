/** A connection with an identity provider that no person has to test. */
import { makeId } from "../../src/infra/ids.ts"
import { runSql, type TestPlane, type Workspace } from "../harness.ts"

/** A certificate whose key is deleted. */
export const certificate =
  "MIIDDzCCAfegAwIBAgIUN03B6L/0i14retbtPehaI059/n4wDQYJKoZIhvcNAQELBQAwFjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUwIBcNMjYxMTIyMTQzNTAyWhgPMjEyNjEwMjkxNDM1MDJaMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAsXwP5M2PaGJ23dISaJS4uZ00N4T9O67jmKn4JAYRNL2TX9d4nx2IW/bKYXosZ1wKErdmBxs28ywdJPpAADVSQ9d/cpo/WQ6PFbvKevGVxO+CO5hJkbA5BIOgTjWkDkcGgfKVDsOGtN7yerU/c2HAxH4C6xLIfP467Gyx8pMfy6OuAx9eNq7rm4xfw5IQ13qj7vKw7SLMbpZjJZBfsCna7pO9C27ArxZaX4nD7tpmCQaDHzld7DSX8xGIluh7BNRyEbrowY++AW4W4CZbWWhdE/GSMoxFdads0fK0pO+bkJ586ATvO7IRDnm0CNr3rJpvFBBCIdOnf1CgdN9r/fUtoQIDAQABo1MwUTAdBgNVHQ4EFgQUkQWpbP83oQNdGw8gpsuv26rt4TswHwYDVR0jBBgwFoAUkQWpbP83oQNdGw8gpsuv26rt4TswDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOCAQEAaipY73VHiP1A+qIc1l/l34nP5xDxFryxrBowLcPygiLwUBmBmeY0TNjNjIv/jGJmFy7LFYLQ5Nc4C7W/VP6eFORtLpMNxFkKzcAzm72fb+Rby1nft54NgjumOnzsT9Vg/yVDbmbbr/f6aXVySDY7Fuqeysp2NFeHEfPP0kNDikfoDNppl885+J/ddVucCUNaY07+x4JcOvZJpUTPRSDKJkB6dT1AWtVAfs2TzlI/EJRhiNDGYhEaRmlpZndRNHE8UWW0jZFj1an9ocb+uAuq1GUxpZN41G3GJdVdhtF+QJHmJUCxAFuZljUi/1jUSWZ4lNQfkyHldM4PsCxdMk/2hQ=="
export const aSamlProvider = { idpEntityId: "https://idp.example", ssoUrl: "https://idp.example/sso" }

/**
 * The organization's one connection with an identity provider, tested and enabled, which is impossible without a
 * person.
 */
export const makeConnection = async (
  plane: TestPlane,
  { membershipId, organizationId }: Workspace
): Promise<string> => {
  const config = {
    ...aSamlProvider,
    certificates: [
      {
        pem: certificate,
        sha256: "0",
        subject: "CN=idp.example",
        notBefore: "2026-01-01T00:00:00.000Z",
        notAfter: "2126-01-01T00:00:00.000Z"
      }
    ],
    attributes: { email: null, name: null }
  }
  const test = { ok: true, at: "2026-01-01T00:00:00.000Z", by: membershipId, code: null, subject: "a", email: null }
  const [row] = await runSql(
    plane,
    (sql) => sql<{ id: string }>`INSERT INTO sso_connections (organization_id, id, protocol, config_json, enabled,
        jit_enabled, jit_role, last_test_json, created_at, updated_at)
      VALUES (${organizationId}, ${makeId("sso")}, 'saml', ${sql.json(config)}, true, false, 'member', ${sql.json(test)},
        now(), now())
      ON CONFLICT (organization_id) DO UPDATE SET enabled = true, last_test_json = excluded.last_test_json RETURNING id`
  )
  return row?.id ?? ""
}
