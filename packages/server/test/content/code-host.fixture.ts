import { afterAll } from "vitest"
import { app, appKey, type CodeHostServer, serveCodeHost } from "../../../../test/fixtures/code-host-server.ts"
import type { ControlPlaneOptions } from "../../src/infra/options.ts"
import type { Person } from "../harness.ts"

/** A code host that is closed after the test file. */
export const makeCodeHost = async (): Promise<CodeHostServer> => {
  const host = await serveCodeHost()
  afterAll(() => host.close())
  return host
}

/** The operator's configuration for it. */
export const appAt = (host: Pick<CodeHostServer, "url">): Pick<ControlPlaneOptions, "codeHostApp"> => ({
  codeHostApp: {
    url: host.url,
    appId: app.appId,
    privateKey: appKey,
    clientId: app.clientId,
    clientSecret: app.clientSecret
  }
})

/** Installs the app as a user of the host would, and completes the installation. */
export const install = async (host: CodeHostServer, person: Person, installationId: string, login = "ada") => {
  const { state } = await person.client.connectors.startInstall()
  return person.client.connectors.completeInstall({ state, code: host.codeOf(login), installationId })
}
