/** What the IDs in queries and bodies refer to, where it differs from the rule. */

/** Members of a request that are called IDs and do not identify an object in orgplane. */
export const nothingOfOurs: Readonly<Record<string, string>> = {
  "sessions.verifyEmail challengeId": "A secret beside the code; what it stands for is never told.",
  "connectors.updateInstance remoteId": "The address of a repository.",
  "connectors.createInstance remoteId": "The address of a repository.",
  "configuration.adopt adoptions.0.id":
    "An object of the kind beside it; configuration.test.ts has objects of other organizations.",
  "connectors.listBranches remoteId": "A repository at the host.",
  "connectors.completeInstall installationId": "An installation at the host.",
  "mcpConnections.create presetId": "A word of the list of servers that are known well.",
  "mcpConnections.create oauthClient.clientId": "A client at a third-party authorization server.",
  "mcpConnections.update oauthClient.clientId": "A client at a third-party authorization server.",
  "workers.reportActivity sessionId": "A session of the worker's own.",
  "llmProviders.create providerId": "A word of the public catalog.",
  "llmProviders.update providerId": "A word of the public catalog.",
  "configuration.plan document.llmProviders.0.providerId": "A word of the public catalog.",
  "configuration.apply document.llmProviders.0.providerId": "A word of the public catalog.",
  "configuration.plan document.llmProviders.0.models.0.id": "A model, as its provider calls it.",
  "configuration.plan document.mcpConnections.0.oauthClient.clientId":
    "A client at a third-party authorization server.",
  "configuration.plan document.connectors.0.remoteId": "The address of a repository.",
  "configuration.plan document.eventStreams.0.accessKeyId": "The name of a key of the object storage.",
  "configuration.plan document.connectorAccounts.0.remoteId": "The name of an account on the code host.",
  "configuration.plan document.ssoConnections.0.clientId": "Our client at the provider.",
  "configuration.plan document.ssoConnections.0.saml.idpEntityId": "The provider's own name.",
  "configuration.apply document.llmProviders.0.models.0.id": "A model, as its provider calls it.",
  "configuration.apply document.mcpConnections.0.oauthClient.clientId":
    "A client at a third-party authorization server.",
  "configuration.apply document.connectors.0.remoteId": "The address of a repository.",
  "configuration.apply document.eventStreams.0.accessKeyId": "The name of a key of the object storage.",
  "configuration.apply document.connectorAccounts.0.remoteId": "The name of an account on the code host.",
  "configuration.apply document.ssoConnections.0.clientId": "Our client at the provider.",
  "configuration.apply document.ssoConnections.0.saml.idpEntityId": "The provider's own name.",
  "configuration.plan document.mcpConnections.0.presetId": "A word of the list of servers that are known well.",
  "configuration.apply document.mcpConnections.0.presetId": "A word of the list of servers that are known well.",
  "llmProviders.listCatalog providerId": "A word of the public catalog.",
  "llmProviders.create models.0.id": "A model, as its provider calls it.",
  "llmProviders.update models.0.id": "A model, as its provider calls it.",
  "audit.list actorId": "A filter by text: what it does not find it does not find.",
  "audit.list targetId": "A filter by text.",
  "eventStreams.create destination.accessKeyId": "The name of a key of the object storage.",
  "eventStreams.update destination.accessKeyId": "The name of a key of the object storage.",
  "audit.export actorId": "A filter by text.",
  "events.list actorId": "A filter by text.",
  "events.list objectId": "A filter by text.",
  "events.stream actorId": "A filter by text.",
  "events.stream objectId": "A filter by text.",
  "telemetry.ingest events.0.id": "The sender's name for an event.",
  "telemetry.ingest events.0.sessionId": "The sender's name for a stretch of use.",
  "telemetry.ledger requestId": "A filter by text.",
  "sso.putOidc clientId": "Our client at the provider.",
  "sso.putSaml idpEntityId": "The provider's own name.",
  "audit.export targetId": "A filter by text.",
  "scim.log resourceId": "A filter by text: what a directory named in its path."
}

/** IDs in a body that are not rejected with 400, and why. */
export const toldElsewhere: Readonly<Record<string, string>> = {
  "members.batch items.0.orgMembershipId": "Each item has its own result.",
  "members.batch items.0.role": "Each item has its own result.",
  "invitations.batch items.0.role": "Each item has its own result.",
  "invitations.batch items.0.teamIds.0": "Each item has its own result.",
  "connectors.apply marketplaceId": "The repository is read first, and there is none; connectors.test.ts has one.",
  "sso.putSaml jit.role":
    "It comes with a switch, and may be an owner's to say; sso.test.ts has roles that are not there.",
  "configuration.plan document.ssoConnections.0.jit.role": "It comes with other fields of the connection.",
  "configuration.apply document.ssoConnections.0.jit.role": "It comes with other fields of the connection.",
  "approvals.approve releases.0.releaseId": "Declared to be 404: the release is what it is about.",
  "approvals.reject releases.0.releaseId": "Declared to be 404: the release is what it is about.",
  "rollouts.create releaseId": "Declared to be 404: the release is what it is about.",
  "rollouts.preview releaseId": "Declared to be 404: the release is what it is about.",
  "rollouts.withdraw pluginId": "Declared to be 404: the plugin is what it is about.",
  "users.setActiveOrganization organizationId": "Declared to be 404: the organization is what it is about.",
  "delivery.report deviceId": "The device names itself.",
  "delivery.report plugins.0.pluginId": "A device reports what it has, and the desired state decides what is compared."
}

/** IDs in a body that only callers with a permission may use. */
export const needed: Readonly<Record<string, "access:read">> = { "access.explain orgMembershipId": "access:read" }

/** IDs in a query that are not filters but positions, which must exist. */
export const places = new Set([
  "audit.list after",
  "configObjects.diffVersions against",
  "templates.diffVersions against",
  "connectors.sync connectorTargetId",
  "connectors.discovery connectorTargetId",
  "connectors.tree connectorTargetId"
])

/** IDs in a query that the operation is about. */
export const subjects = new Set([
  "delivery.status pluginId",
  "delivery.status teamId",
  "delivery.status orgMembershipId",
  "delivery.history pluginId",
  "delivery.usage pluginId",
  "delivery.listTeams pluginId",
  "delivery.listMembers pluginId",
  "delivery.listMembers teamId",
  "delivery.listMembers orgMembershipId",
  "delivery.listDevices pluginId",
  "delivery.listDevices teamId",
  "delivery.listDevices orgMembershipId"
])
