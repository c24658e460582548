// Written by `pnpm codegen` from `packages/schema/examples`.

import type { OrgplaneClient } from "../../src/index.ts"

/** Never called: the compiler checks the call in each example. */
export const examples = async (orgplane: OrgplaneClient): Promise<void> => {
  await orgplane.system.health()
  await orgplane.system.live()
  await orgplane.system.ready()
  await orgplane.system.version()
  await orgplane.system.keys()
  await orgplane.system.openapi()
  await orgplane.system.docs()
  await orgplane.bootstrap.workspace({ workspaceName: "Acme" })
  await orgplane.bootstrap.previewClaim({ token: "opc_ExampleOnly00000000000000000000000000000000000000" })
  await orgplane.bootstrap.acceptClaim({
    token: "opc_ExampleOnly00000000000000000000000000000000000000",
    keepAgent: { permissions: [] }
  })
  await orgplane.sessions.startEmail({ email: "ada@acme.example" })
  await orgplane.sessions.verifyEmail({ challengeId: "ExampleChallenge00000000", code: "ABCD2345" })
  await orgplane.sessions.exchange({ orgMembershipId: "om_01kf0x5me8e6razepq180mhf01" })
  await orgplane.sessions.list().take(20)
  await orgplane.sessions.revokeCurrent()
  await orgplane.sessions.revoke("ses_01kf0x5me8e6razepq180mhf01")
  await orgplane.sso.get()
  await orgplane.sso.serviceProvider()
  await orgplane.sso.remove()
  await orgplane.sso.putOidc({
    issuer: "https://orgplane.example",
    clientId: "orgplane",
    clientSecret: "example-client-secret"
  })
  await orgplane.sso.putSaml({
    idpEntityId: "https://idp.example",
    ssoUrl: "https://idp.example/sso",
    certificates: [
      "MIIDDzCCAfegAwIBAgIUN03B6L/0i14retbtPehaI059/n4wDQYJKoZIhvcNAQELBQAwFjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUwIBcNMjYxMTIyMTQzNTAyWhgPMjEyNjEwMjkxNDM1MDJaMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAsXwP5M2PaGJ23dISaJS4uZ00N4T9O67jmKn4JAYRNL2TX9d4nx2IW/bKYXosZ1wKErdmBxs28ywdJPpAADVSQ9d/cpo/WQ6PFbvKevGVxO+CO5hJkbA5BIOgTjWkDkcGgfKVDsOGtN7yerU/c2HAxH4C6xLIfP467Gyx8pMfy6OuAx9eNq7rm4xfw5IQ13qj7vKw7SLMbpZjJZBfsCna7pO9C27ArxZaX4nD7tpmCQaDHzld7DSX8xGIluh7BNRyEbrowY++AW4W4CZbWWhdE/GSMoxFdads0fK0pO+bkJ586ATvO7IRDnm0CNr3rJpvFBBCIdOnf1CgdN9r/fUtoQIDAQABo1MwUTAdBgNVHQ4EFgQUkQWpbP83oQNdGw8gpsuv26rt4TswHwYDVR0jBBgwFoAUkQWpbP83oQNdGw8gpsuv26rt4TswDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOCAQEAaipY73VHiP1A+qIc1l/l34nP5xDxFryxrBowLcPygiLwUBmBmeY0TNjNjIv/jGJmFy7LFYLQ5Nc4C7W/VP6eFORtLpMNxFkKzcAzm72fb+Rby1nft54NgjumOnzsT9Vg/yVDbmbbr/f6aXVySDY7Fuqeysp2NFeHEfPP0kNDikfoDNppl885+J/ddVucCUNaY07+x4JcOvZJpUTPRSDKJkB6dT1AWtVAfs2TzlI/EJRhiNDGYhEaRmlpZndRNHE8UWW0jZFj1an9ocb+uAuq1GUxpZN41G3GJdVdhtF+QJHmJUCxAFuZljUi/1jUSWZ4lNQfkyHldM4PsCxdMk/2hQ=="
    ]
  })
  await orgplane.sso.test()
  await orgplane.sso.enable()
  await orgplane.sso.disable()
  await orgplane.sso.enforce({ breakGlass: ["om_01kf0x5me8e6razepq180mhf01"] })
  await orgplane.sso.start({
    organizationId: "org_01kf0x5me8e6razepq180mhf01",
    codeChallenge: "Example1-----------------------------------"
  })
  await orgplane.sso.complete({
    state: "Example1-----------------------------------",
    code: "ABCD2345",
    codeVerifier: "a verifier of the caller's, which has to have 43 characters"
  })
  await orgplane.sso.samlMetadata("org_01kf0x5me8e6razepq180mhf01")
  await orgplane.users.get()
  await orgplane.users.update({ name: "Ada Lovelace" })
  await orgplane.users.remove()
  await orgplane.users.organizations().take(20)
  await orgplane.users.leaveOrganization("org_01kf0x5me8e6razepq180mhf01")
  await orgplane.users.setActiveOrganization({ organizationId: "org_01kf0x5me8e6razepq180mhf01" })
  await orgplane.users.desktopPolicy()
  await orgplane.users.library().take(20)
  await orgplane.users.export()
  await orgplane.organizations.create({ name: "Acme" })
  await orgplane.organizations.get()
  await orgplane.organizations.update({ name: "Acme" })
  await orgplane.organizations.remove()
  await orgplane.organizations.transferOwnership({ orgMembershipId: "om_01kf0x5me8e6razepq180mhf01", keep: "owner" })
  await orgplane.organizations.getStorage()
  await orgplane.organizations.export()
  await orgplane.members.add({ subject: "subject 9", role: "rol_01kf0x5me8e6razepq180mhf01" })
  await orgplane.members.list().take(20)
  await orgplane.members.get("om_01kf0x5me8e6razepq180mhf01")
  await orgplane.members.update("om_01kf0x5me8e6razepq180mhf01", { role: "rol_01kf0x5me8e6razepq180mhf01" })
  await orgplane.members.remove("om_01kf0x5me8e6razepq180mhf01")
  await orgplane.members.impact("om_01kf0x5me8e6razepq180mhf01")
  await orgplane.members.batch({
    items: [
      {
        action: "setRole",
        orgMembershipId: "om_01kf0x5me8e6razepq180mhf01",
        role: "rol_01kf0x5me8e6razepq180mhf01"
      }
    ]
  })
  await orgplane.invitations.create({ email: "ada@acme.example", role: "rol_01kf0x5me8e6razepq180mhf01" })
  await orgplane.invitations.batch({
    items: [{ email: "ada@acme.example", role: "rol_01kf0x5me8e6razepq180mhf01" }]
  })
  await orgplane.invitations.list().take(20)
  await orgplane.invitations.get("inv_01kf0x5me8e6razepq180mhf01")
  await orgplane.invitations.resend("inv_01kf0x5me8e6razepq180mhf01")
  await orgplane.invitations.cancel("inv_01kf0x5me8e6razepq180mhf01")
  await orgplane.invitations.preview({ token: "opi_ExampleOnly00000000000000000000000000000000000000" })
  await orgplane.invitations.accept({ token: "opi_ExampleOnly00000000000000000000000000000000000000" })
  await orgplane.roles.permissions()
  await orgplane.roles.create({ name: "Reviewer", permissions: [] })
  await orgplane.roles.list().take(20)
  await orgplane.roles.get("rol_01kf0x5me8e6razepq180mhf01")
  await orgplane.roles.update("rol_01kf0x5me8e6razepq180mhf01", { name: "Reviewer" })
  await orgplane.roles.remove("rol_01kf0x5me8e6razepq180mhf01")
  await orgplane.teams.create({ name: "Platform" })
  await orgplane.teams.list().take(20)
  await orgplane.teams.get("tem_01kf0x5me8e6razepq180mhf01")
  await orgplane.teams.update("tem_01kf0x5me8e6razepq180mhf01", { name: "Platform" })
  await orgplane.teams.remove("tem_01kf0x5me8e6razepq180mhf01")
  await orgplane.teams.impact("tem_01kf0x5me8e6razepq180mhf01")
  await orgplane.teams.listMembers("tem_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.teams.addMember("tem_01kf0x5me8e6razepq180mhf01", "om_01kf0x5me8e6razepq180mhf01")
  await orgplane.teams.removeMember("tem_01kf0x5me8e6razepq180mhf01", "om_01kf0x5me8e6razepq180mhf01")
  await orgplane.apiKeys.create({ name: "Continuous integration", permissions: [] })
  await orgplane.apiKeys.list().take(20)
  await orgplane.apiKeys.current()
  await orgplane.apiKeys.get("key_01kf0x5me8e6razepq180mhf01")
  await orgplane.apiKeys.update("key_01kf0x5me8e6razepq180mhf01", { name: "Continuous integration" })
  await orgplane.apiKeys.rotate("key_01kf0x5me8e6razepq180mhf01")
  await orgplane.apiKeys.revoke("key_01kf0x5me8e6razepq180mhf01")
  await orgplane.access.permissions()
  await orgplane.access.explain({
    object: { kind: "plugin", id: "plg_01kf0x5me8e6razepq180mhf01" },
    action: "view"
  })
  await orgplane.access.impact({ grantId: "pag_01kf0x5me8e6razepq180mhf01" })
  await orgplane.audit.list().take(20)
  await orgplane.audit.export()
  await orgplane.audit.verify()
  await orgplane.audit.checkpoints().take(20)
  await orgplane.audit.get("aud_01kf0x5me8e6razepq180mhf01")
  await orgplane.events.list({ types: "plugin.*" }).take(20)
  await orgplane.events.types()
  await orgplane.events.stream({ types: "plugin.*" })
  await orgplane.events.checkpoints().take(20)
  await orgplane.events.get("aud_01kf0x5me8e6razepq180mhf01")
  await orgplane.webhookEndpoints.list().take(20)
  await orgplane.webhookEndpoints.create({ name: "Deployments", url: "https://hooks.example/events" })
  await orgplane.webhookEndpoints.get("whe_01kf0x5me8e6razepq180mhf01")
  await orgplane.webhookEndpoints.update("whe_01kf0x5me8e6razepq180mhf01", { name: "Deployments", types: ["plugin.*"] })
  await orgplane.webhookEndpoints.remove("whe_01kf0x5me8e6razepq180mhf01")
  await orgplane.webhookEndpoints.rotateSecret("whe_01kf0x5me8e6razepq180mhf01", { overlapSeconds: 3600 })
  await orgplane.webhookEndpoints.test("whe_01kf0x5me8e6razepq180mhf01")
  await orgplane.webhookEndpoints.pause("whe_01kf0x5me8e6razepq180mhf01")
  await orgplane.webhookEndpoints.resume("whe_01kf0x5me8e6razepq180mhf01", { skip: true })
  await orgplane.webhookEndpoints.redeliver("whe_01kf0x5me8e6razepq180mhf01", { from: 1, to: 2 })
  await orgplane.webhookEndpoints.listMessages("whe_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.webhookEndpoints.getMessage("whe_01kf0x5me8e6razepq180mhf01", "whm_01kf0x5me8e6razepq180mhf01")
  await orgplane.eventStreams.list().take(20)
  await orgplane.eventStreams.create({
    name: "SIEM",
    destination: { kind: "https", url: "https://siem.example/events" }
  })
  await orgplane.eventStreams.get("evs_01kf0x5me8e6razepq180mhf01")
  await orgplane.eventStreams.update("evs_01kf0x5me8e6razepq180mhf01", { name: "SIEM", types: ["plugin.*"] })
  await orgplane.eventStreams.remove("evs_01kf0x5me8e6razepq180mhf01")
  await orgplane.eventStreams.pause("evs_01kf0x5me8e6razepq180mhf01")
  await orgplane.eventStreams.resume("evs_01kf0x5me8e6razepq180mhf01")
  await orgplane.eventStreams.test("evs_01kf0x5me8e6razepq180mhf01")
  await orgplane.configuration.export({ kinds: "organization,roles,teams" })
  await orgplane.configuration.plan({
    document: {
      version: 1,
      roles: [
        {
          key: "reviewer",
          name: "Reviewer",
          permissions: ["approvals:read", "plugins:read", "audit:read"]
        }
      ],
      teams: [
        {
          key: "platform",
          name: "Platform",
          description: "Runs the control plane"
        },
        { key: "design", name: "Design" }
      ]
    }
  })
  await orgplane.configuration.apply({
    document: {
      version: 1,
      roles: [
        {
          key: "reviewer",
          name: "Reviewer",
          permissions: ["approvals:read", "plugins:read", "audit:read"]
        }
      ],
      teams: [
        {
          key: "platform",
          name: "Platform",
          description: "Runs the control plane"
        },
        { key: "design", name: "Design" }
      ]
    },
    planDigest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
  })
  await orgplane.configuration.adopt({
    adoptions: [{ kind: "teams", id: "tem_01kf0x5me8e6razepq180mhf01", key: "design" }]
  })
  await orgplane.configuration.schema()
  await orgplane.configurationSource.get()
  await orgplane.configurationSource.set({
    connectorInstanceId: "cin_01kf0x5me8e6razepq180mhf01",
    path: "orgplane.yaml",
    mode: "apply"
  })
  await orgplane.configurationSource.remove()
  await orgplane.configurationSource.run()
  await orgplane.configurationRuns.list().take(20)
  await orgplane.configurationRuns.get("cfr_01kf0x5me8e6razepq180mhf01")
  await orgplane.configurationRuns.approve("cfr_01kf0x5me8e6razepq180mhf01", {
    planDigest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
  })
  await orgplane.configurationRuns.reject("cfr_01kf0x5me8e6razepq180mhf01", { comment: "Keep these teams until March." })
  await orgplane.connectors.setup({ adapter: "git", cloneUrl: "https://git.example/acme/team-1/plugins" })
  await orgplane.connectors.listInstances().take(20)
  await orgplane.connectors.getInstance("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.updateInstance("cin_01kf0x5me8e6razepq180mhf01", { config: { a: 1 } })
  await orgplane.connectors.enable("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.disable("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.remove("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.sync("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.listSyncEvents("cin_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.connectors.getSyncEvent("cse_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.approveSync("cse_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.rejectSync("cse_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.discovery("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.tree("cin_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.connectors.apply("cin_01kf0x5me8e6razepq180mhf01", {
    selectedKeys: ["marketplace:code-review"],
    autoImportNewPlugins: true,
    share: "orgWide"
  })
  await orgplane.connectors.listAccess("cin_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.connectors.grantAccess("cin_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
  await orgplane.connectors.revokeAccess("cin_01kf0x5me8e6razepq180mhf01", "cia_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.listTargets("cin_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.connectors.getTarget("ctg_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.listMappings("ctg_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.connectors.archive("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.configuration("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.setAutoImport("cin_01kf0x5me8e6razepq180mhf01", { enabled: true })
  await orgplane.connectors.createTarget("cin_01kf0x5me8e6razepq180mhf01", { branch: "release" })
  await orgplane.connectors.updateTarget("ctg_01kf0x5me8e6razepq180mhf01", { config: { a: 1 } })
  await orgplane.connectors.resync("ctg_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.createMapping("ctg_01kf0x5me8e6razepq180mhf01", { selector: "docs/guides", objectType: "context" })
  await orgplane.connectors.updateMapping("cmp_01kf0x5me8e6razepq180mhf01", { selector: "docs/guides" })
  await orgplane.connectors.deleteMapping("cmp_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.mappingImpact("cmp_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.plan("cin_01kf0x5me8e6razepq180mhf01", { selectedKeys: ["marketplace:code-review"], autoImportNewPlugins: false })
  await orgplane.connectors.retrySync("cse_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.rollback("cin_01kf0x5me8e6razepq180mhf01", { revision: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d" })
  await orgplane.connectors.planRollback("cin_01kf0x5me8e6razepq180mhf01", { revision: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d" })
  await orgplane.connectors.listAccounts().take(20)
  await orgplane.connectors.getAccount("cac_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.createAccount({ adapter: "git", url: "https://git-15.example" })
  await orgplane.connectors.disconnectAccount("cac_01kf0x5me8e6razepq180mhf01")
  await orgplane.connectors.startInstall()
  await orgplane.connectors.completeInstall({
    state: "Example1-----------------------------------",
    code: "ABCD2345",
    installationId: "1"
  })
  await orgplane.connectors.listRepositories("cac_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.connectors.listBranches("cac_01kf0x5me8e6razepq180mhf01", { remoteId: "7" }).take(20)
  await orgplane.connectors.createInstance({
    connectorAccountId: "cac_01kf0x5me8e6razepq180mhf01",
    remoteId: "https://git.example/acme/team-12/plugins"
  })
  await orgplane.connectors.setCredential("cin_01kf0x5me8e6razepq180mhf01", { token: "a-token-with-read-access" })
  await orgplane.configObjects.create({ input: { type: "context", rawSourceText: "# Another skill" } })
  await orgplane.configObjects.list().take(20)
  await orgplane.configObjects.get("cob_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.listVersions("cob_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.configObjects.getVersion("cob_01kf0x5me8e6razepq180mhf01", "cov_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.listAccess("cob_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.configObjects.grantAccess("cob_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
  await orgplane.configObjects.revokeAccess("cob_01kf0x5me8e6razepq180mhf01", "coa_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.archive("cob_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.restore("cob_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.remove("cob_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.createVersion("cob_01kf0x5me8e6razepq180mhf01", { input: { rawSourceText: "# Review checklist" } })
  await orgplane.configObjects.restoreVersion("cob_01kf0x5me8e6razepq180mhf01", "cov_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.diffVersions("cob_01kf0x5me8e6razepq180mhf01", "cov_01kf0x5me8e6razepq180mhf01")
  await orgplane.configObjects.attachPlugin("cob_01kf0x5me8e6razepq180mhf01", { pluginId: "plg_01kf0x5me8e6razepq180mhf01" })
  await orgplane.configObjects.detachPlugin("cob_01kf0x5me8e6razepq180mhf01", "plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.create({ name: "Code review" })
  await orgplane.plugins.list().take(20)
  await orgplane.plugins.get("plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.capabilities("plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.listObjects("plg_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.plugins.listAccess("plg_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.plugins.grantAccess("plg_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
  await orgplane.plugins.revokeAccess("plg_01kf0x5me8e6razepq180mhf01", "pag_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.update("plg_01kf0x5me8e6razepq180mhf01", { name: "Code review" })
  await orgplane.plugins.archive("plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.restore("plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.addObject("plg_01kf0x5me8e6razepq180mhf01", { configObjectId: "cob_01kf0x5me8e6razepq180mhf01" })
  await orgplane.plugins.removeObject("plg_01kf0x5me8e6razepq180mhf01", "cob_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.download("plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.plugins.downloadLinked("plg_01kf0x5me8e6razepq180mhf01", {
    organizationId: "org_01kf0x5me8e6razepq180mhf01",
    holder: "om_01kf0x5me8e6razepq180mhf01",
    sha256: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
    expires: "1768473000",
    format: "zip",
    signature: "Example1-----------------------------------"
  })
  await orgplane.marketplaces.list().take(20)
  await orgplane.marketplaces.get("mkt_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.listPlugins("mkt_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.marketplaces.resolved("mkt_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.listAccess("mkt_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.marketplaces.grantAccess("mkt_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
  await orgplane.marketplaces.revokeAccess("mkt_01kf0x5me8e6razepq180mhf01", "mag_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.create({ name: "Engineering" })
  await orgplane.marketplaces.update("mkt_01kf0x5me8e6razepq180mhf01", { name: "Engineering" })
  await orgplane.marketplaces.archive("mkt_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.restore("mkt_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.addPlugin("mkt_01kf0x5me8e6razepq180mhf01", { pluginId: "plg_01kf0x5me8e6razepq180mhf01" })
  await orgplane.marketplaces.removePlugin("mkt_01kf0x5me8e6razepq180mhf01", "plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.manifest("mkt_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.createLink("mkt_01kf0x5me8e6razepq180mhf01", { name: "Laptops of the platform team" })
  await orgplane.marketplaces.listLinks("mkt_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.marketplaces.revokeLink("mkt_01kf0x5me8e6razepq180mhf01", "mkl_01kf0x5me8e6razepq180mhf01")
  await orgplane.marketplaces.manifestLinked("opl_ExampleOnly00000000000000000000000000000000000000")
  await orgplane.marketplaces.downloadLinked("opl_ExampleOnly00000000000000000000000000000000000000", "plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.approvals.list().take(20)
  await orgplane.approvals.get("rel_01kf0x5me8e6razepq180mhf01")
  await orgplane.approvals.capabilities("rel_01kf0x5me8e6razepq180mhf01")
  await orgplane.approvals.approve({
    releases: [
      {
        releaseId: "rel_01kf0x5me8e6razepq180mhf01",
        digest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
      }
    ],
    comment: "Reviewed."
  })
  await orgplane.approvals.reject({
    releases: [
      {
        releaseId: "rel_01kf0x5me8e6razepq180mhf01",
        digest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635"
      }
    ],
    comment: "Reviewed."
  })
  await orgplane.approvals.getSettings()
  await orgplane.approvals.updateSettings({ deliveryMode: "hold_growth" })
  await orgplane.approvals.getInstanceMode("cin_01kf0x5me8e6razepq180mhf01")
  await orgplane.approvals.setInstanceMode("cin_01kf0x5me8e6razepq180mhf01", { deliveryMode: "hold_growth" })
  await orgplane.approvals.getMarketplaceMode("mkt_01kf0x5me8e6razepq180mhf01")
  await orgplane.approvals.setMarketplaceMode("mkt_01kf0x5me8e6razepq180mhf01", { deliveryMode: "hold_growth" })
  await orgplane.assignments.create({
    pluginId: "plg_01kf0x5me8e6razepq180mhf01",
    mode: "available",
    memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
    teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
  })
  await orgplane.assignments.list().take(20)
  await orgplane.assignments.simulate({ delete: { assignmentId: "asg_01kf0x5me8e6razepq180mhf01" } })
  await orgplane.assignments.effective("om_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.assignments.own().take(20)
  await orgplane.assignments.setChoice("plg_01kf0x5me8e6razepq180mhf01", { enabled: true })
  await orgplane.assignments.resetChoice("plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.assignments.get("asg_01kf0x5me8e6razepq180mhf01")
  await orgplane.assignments.update("asg_01kf0x5me8e6razepq180mhf01", {
    mode: "available",
    memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
    teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
  })
  await orgplane.assignments.remove("asg_01kf0x5me8e6razepq180mhf01")
  await orgplane.desiredState.get()
  await orgplane.desiredState.getMember("om_01kf0x5me8e6razepq180mhf01")
  await orgplane.delivery.report({
    deviceId: "Zc4iGtDqQmW8v2Ns0aXy1w",
    sequence: 42,
    agent: "claude-code",
    platform: "macos",
    revision: 1,
    plugins: [
      {
        pluginId: "plg_01kf0x5me8e6razepq180mhf01",
        sha256: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
        digest: "2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f",
        state: "installed",
        failure: null
      }
    ],
    clientVersion: "1.4.0"
  })
  await orgplane.delivery.status()
  await orgplane.delivery.listTeams().take(20)
  await orgplane.delivery.listMembers({ state: "failed" }).take(20)
  await orgplane.delivery.listDevices({ platform: "linux" }).take(20)
  await orgplane.delivery.getDevice("om_01kf0x5me8e6razepq180mhf01", "p7RkB3uVx9LhTqYe5JmD2A")
  await orgplane.delivery.removeDevice("om_01kf0x5me8e6razepq180mhf01", "p7RkB3uVx9LhTqYe5JmD2A")
  await orgplane.delivery.history()
  await orgplane.delivery.usage()
  await orgplane.rollouts.list().take(20)
  await orgplane.rollouts.create({ releaseId: "rel_01kf0x5me8e6razepq180mhf01" })
  await orgplane.rollouts.getSettings()
  await orgplane.rollouts.updateSettings({
    rings: [
      {
        name: "Canary",
        teamIds: ["tem_01kf0x5me8e6razepq180mhf01"],
        memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
        percent: 5,
        soakMinutes: 1440,
        promotion: "automatic"
      }
    ]
  })
  await orgplane.rollouts.preview({
    releaseId: "rel_01kf0x5me8e6razepq180mhf01",
    rings: [
      {
        name: "Half",
        teamIds: [],
        memberIds: [],
        percent: 50,
        soakMinutes: 1440,
        promotion: "automatic"
      }
    ]
  })
  await orgplane.rollouts.withdraw({
    pluginId: "plg_01kf0x5me8e6razepq180mhf01",
    digest: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
    comment: "Leaks credentials."
  })
  await orgplane.rollouts.explain("om_01kf0x5me8e6razepq180mhf01", "plg_01kf0x5me8e6razepq180mhf01")
  await orgplane.rollouts.get("rlo_01kf0x5me8e6razepq180mhf01")
  await orgplane.rollouts.start("rlo_01kf0x5me8e6razepq180mhf01")
  await orgplane.rollouts.schedule("rlo_01kf0x5me8e6razepq180mhf01", { startsAt: "2026-01-16T09:30:00.000Z" })
  await orgplane.rollouts.promote("rlo_01kf0x5me8e6razepq180mhf01", { ring: "Half" })
  await orgplane.rollouts.pause("rlo_01kf0x5me8e6razepq180mhf01", { comment: "Waits for the review of a failure." })
  await orgplane.rollouts.resume("rlo_01kf0x5me8e6razepq180mhf01")
  await orgplane.rollouts.rollBack("rlo_01kf0x5me8e6razepq180mhf01", { comment: "The command fails on Windows." })
  await orgplane.rollouts.release("rlo_01kf0x5me8e6razepq180mhf01", { comment: "Fixes a leak of credentials." })
  await orgplane.desktopPolicies.create({
    policyName: "Contractors",
    policy: {
      showWelcomePage: false,
      onboardingPrompts: ["Summarize what changed today"]
    },
    memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
    teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
  })
  await orgplane.desktopPolicies.list().take(20)
  await orgplane.desktopPolicies.simulate({ delete: { desktopPolicyId: "dpo_01kf0x5me8e6razepq180mhf01" } })
  await orgplane.desktopPolicies.effective("om_01kf0x5me8e6razepq180mhf01")
  await orgplane.desktopPolicies.get("dpo_01kf0x5me8e6razepq180mhf01")
  await orgplane.desktopPolicies.update("dpo_01kf0x5me8e6razepq180mhf01", {
    policyName: "Contractors",
    memberIds: ["om_01kf0x5me8e6razepq180mhf01"],
    teamIds: ["tem_01kf0x5me8e6razepq180mhf01"]
  })
  await orgplane.desktopPolicies.remove("dpo_01kf0x5me8e6razepq180mhf01")
  await orgplane.templates.create({
    name: "Service starter",
    content: {
      plugin: { name: "A plugin" },
      objects: [{ type: "context", rawSourceText: "# Some context" }]
    }
  })
  await orgplane.templates.list().take(20)
  await orgplane.templates.get("tpl_01kf0x5me8e6razepq180mhf01")
  await orgplane.templates.update("tpl_01kf0x5me8e6razepq180mhf01", { name: "Service starter" })
  await orgplane.templates.remove("tpl_01kf0x5me8e6razepq180mhf01")
  await orgplane.templates.listVersions("tpl_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.templates.getVersion("tpl_01kf0x5me8e6razepq180mhf01", "tpv_01kf0x5me8e6razepq180mhf01")
  await orgplane.templates.createVersion("tpl_01kf0x5me8e6razepq180mhf01", { content: { plugin: { name: "Code review" }, objects: [] } })
  await orgplane.templates.restoreVersion("tpl_01kf0x5me8e6razepq180mhf01", "tpv_01kf0x5me8e6razepq180mhf01")
  await orgplane.templates.diffVersions("tpl_01kf0x5me8e6razepq180mhf01", "tpv_01kf0x5me8e6razepq180mhf01")
  await orgplane.templates.preview("tpl_01kf0x5me8e6razepq180mhf01", { name: "Incident review" })
  await orgplane.templates.instantiate("tpl_01kf0x5me8e6razepq180mhf01", { name: "Incident review" })
  await orgplane.templates.listInstances("tpl_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.mcpConnections.create({ name: "Linear (read only)", url: "https://mcp.example", authType: "none" })
  await orgplane.mcpConnections.list().take(20)
  await orgplane.mcpConnections.get("emc_01kf0x5me8e6razepq180mhf01")
  await orgplane.mcpConnections.update("emc_01kf0x5me8e6razepq180mhf01", { name: "Linear (read only)" })
  await orgplane.mcpConnections.remove("emc_01kf0x5me8e6razepq180mhf01")
  await orgplane.mcpConnections.listAccess("emc_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.mcpConnections.grantAccess("emc_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
  await orgplane.mcpConnections.revokeAccess("emc_01kf0x5me8e6razepq180mhf01", "emg_01kf0x5me8e6razepq180mhf01")
  await orgplane.mcpConnections.listTools("emc_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.mcpConnections.getToolPolicy("emc_01kf0x5me8e6razepq180mhf01")
  await orgplane.mcpConnections.setToolPolicy("emc_01kf0x5me8e6razepq180mhf01", { mode: "listed", allowed: ["search_issues"], denied: [] })
  await orgplane.mcpConnections.getReview("emc_01kf0x5me8e6razepq180mhf01")
  await orgplane.mcpConnections.decideReview("emc_01kf0x5me8e6razepq180mhf01", {
    fingerprint: "f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635f2c9a70d1b84e635",
    decision: "accept"
  })
  await orgplane.mcpConnections.callTool("emc_01kf0x5me8e6razepq180mhf01", { toolName: "search_issues", arguments: { text: "login" } })
  await orgplane.mcpConnections.startConnect("emc_01kf0x5me8e6razepq180mhf01")
  await orgplane.mcpConnections.completeConnect("emc_01kf0x5me8e6razepq180mhf01", {
    code: "ABCD2345",
    state: "Example1-----------------------------------",
    iss: "https://orgplane.example"
  })
  await orgplane.mcpConnections.setApiKey("emc_01kf0x5me8e6razepq180mhf01", { apiKey: "a-key-that-nobody-may-see" })
  await orgplane.mcpConnections.disconnect("emc_01kf0x5me8e6razepq180mhf01")
  await orgplane.mcpConnections.clientMetadata()
  await orgplane.mcpConnections.listPresets().take(20)
  await orgplane.mcpConnections.resolve({ query: "a sentence that means nothing here" })
  await orgplane.llmProviders.create({
    name: "Internal models",
    providerId: "custom",
    baseUrl: "https://192.0.2.1/v1",
    credentialMode: "none"
  })
  await orgplane.llmProviders.list().take(20)
  await orgplane.llmProviders.get("llm_01kf0x5me8e6razepq180mhf01")
  await orgplane.llmProviders.update("llm_01kf0x5me8e6razepq180mhf01", { name: "Models of the platform team" })
  await orgplane.llmProviders.remove("llm_01kf0x5me8e6razepq180mhf01")
  await orgplane.llmProviders.listAccess("llm_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.llmProviders.grantAccess("llm_01kf0x5me8e6razepq180mhf01", { orgWide: true, role: "viewer" })
  await orgplane.llmProviders.revokeAccess("llm_01kf0x5me8e6razepq180mhf01", "lla_01kf0x5me8e6razepq180mhf01")
  await orgplane.llmProviders.listCatalog().take(20)
  await orgplane.llmProviders.listCatalogProviders().take(20)
  await orgplane.llmProviders.setCredential("llm_01kf0x5me8e6razepq180mhf01", { apiKey: "a-key-of-a-provider-that-nobody-may-see" })
  await orgplane.llmProviders.removeCredential("llm_01kf0x5me8e6razepq180mhf01")
  await orgplane.llmProviders.connect("llm_01kf0x5me8e6razepq180mhf01")
  await orgplane.llmProviders.test("llm_01kf0x5me8e6razepq180mhf01")
  await orgplane.capabilities.createMailDraft({ to: ["ann@example.com"], subject: "Weekly report", body: "A body" })
  await orgplane.capabilities.getMailMessage("nothing")
  await orgplane.capabilities.updateCalendarEvent("nothing", { createMeetLink: true })
  await orgplane.capabilities.listConnections().take(20)
  await orgplane.capabilities.getConnection("suite-a")
  await orgplane.capabilities.startConnect("suite-a")
  await orgplane.capabilities.completeConnect("suite-a", { code: "ABCD2345", state: "Example1-----------------------------------" })
  await orgplane.capabilities.disconnect("suite-a")
  await orgplane.memory.save({ content: "Prefers pull requests of at most 200 lines." })
  await orgplane.memory.search({ q: "a question" })
  await orgplane.memory.export()
  await orgplane.memory.list().take(20)
  await orgplane.memory.get("mem_01kf0x5me8e6razepq180mhf01")
  await orgplane.memory.delete("mem_01kf0x5me8e6razepq180mhf01")
  await orgplane.memory.deleteAll()
  await orgplane.telemetry.ingest({
    events: [
      {
        id: "event 16",
        type: "task.completed",
        timestamp: "2026-01-15T09:30:00.000Z",
        source: "app"
      }
    ]
  })
  await orgplane.telemetry.describe()
  await orgplane.telemetry.ledger().take(20)
  await orgplane.telemetry.dimensions().take(20)
  await orgplane.telemetry.adoption()
  await orgplane.telemetry.analytics()
  await orgplane.attention.list().take(20)
  await orgplane.search.objects({ q: "review" })
  await orgplane.admin.metrics()
  await orgplane.admin.overview()
  await orgplane.admin.listPlatformUsers().take(20)
  await orgplane.admin.listPlatformOrganizations().take(20)
  await orgplane.admin.updatePlan("org_01kf0x5me8e6razepq180mhf01", { plan: "enterprise" })
  await orgplane.scim.createDirectory({ name: "Okta" })
  await orgplane.scim.listDirectories().take(20)
  await orgplane.scim.getDirectory("scd_01kf0x5me8e6razepq180mhf01")
  await orgplane.scim.removeDirectory("scd_01kf0x5me8e6razepq180mhf01")
  await orgplane.scim.rotateToken("scd_01kf0x5me8e6razepq180mhf01")
  await orgplane.scim.revokeToken("scd_01kf0x5me8e6razepq180mhf01", "sct_01kf0x5me8e6razepq180mhf01")
  await orgplane.scim.listGroups("scd_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.scim.setGroupRole("scd_01kf0x5me8e6razepq180mhf01", "tem_01kf0x5me8e6razepq180mhf01", { role: "rol_01kf0x5me8e6razepq180mhf01" })
  await orgplane.scim.log("scd_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.scim.reconcile("scd_01kf0x5me8e6razepq180mhf01")
  await orgplane.scim.listHolds("scd_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.scim.getHold("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01")
  await orgplane.scim.listHeldUsers("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.scim.approveHold("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01")
  await orgplane.scim.rejectHold("scd_01kf0x5me8e6razepq180mhf01", "sch_01kf0x5me8e6razepq180mhf01")
  await orgplane.webhooks.listDeliveries().take(20)
  await orgplane.webhooks.getDelivery("dlv_01kf0x5me8e6razepq180mhf01")
  await orgplane.webhooks.redeliver("dlv_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.create({ name: "Nightly reviews", destination: "local" })
  await orgplane.workers.list().take(20)
  await orgplane.workers.get("wrk_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.update("wrk_01kf0x5me8e6razepq180mhf01", { name: "Nightly reviews" })
  await orgplane.workers.remove("wrk_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.createToken("wrk_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.listTokens("wrk_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.workers.revokeToken("wrk_01kf0x5me8e6razepq180mhf01", "wkt_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.getRuntime("wrk_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.upgradeRuntime("wrk_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.heartbeat("wrk_01kf0x5me8e6razepq180mhf01")
  await orgplane.workers.reportActivity("wrk_01kf0x5me8e6razepq180mhf01", { kind: "task", message: "Reviewed pull request 42" })
  await orgplane.workers.listActivity("wrk_01kf0x5me8e6razepq180mhf01").take(20)
  await orgplane.ssoDomains.create({ domain: "acme.example" })
  await orgplane.ssoDomains.list().take(20)
  await orgplane.ssoDomains.get("dom_01kf0x5me8e6razepq180mhf01")
  await orgplane.ssoDomains.remove("dom_01kf0x5me8e6razepq180mhf01")
  await orgplane.ssoDomains.verify()
}
