/** The runtimes of cloud workers in the console. */
import { expect, it, vi } from "vitest"
import {
  becomes,
  exampleRuntime,
  makeCloudWorker,
  makeRuntimeFolder
} from "../../server/test/agents/workers.fixture.ts"
import { addMember, checkAccessibility, failOnFaults, makeWorkspace, startConsole } from "./harness.ts"

vi.setConfig({ testTimeout: 180_000 })
failOnFaults()

const { plane, viewer } = await startConsole({
  workerHeartbeatSeconds: 1,
  provisioner: {
    command: ["node", exampleRuntime],
    directory: makeRuntimeFolder(),
    environment: { PATH: "/usr/bin:/bin" }
  }
})
const owner = await makeWorkspace(plane)
const member = await addMember(plane, owner, "member")

it("upgrades the selected runtimes, and lists those that are not running", async () => {
  const { open, page } = await viewer(owner)
  const running = await makeCloudWorker(owner, "Running")
  await becomes(owner, running.path, { worker: { status: "healthy" }, instance: { status: "running" } })
  const stopped = await makeCloudWorker(owner, "Stopped")
  await becomes(owner, stopped.path, { instance: { status: "running" } })
  await owner.client.workers.create({ name: "On a laptop", destination: "local" })
  await page.route(`**/v1/workers/${stopped.id}/runtime/upgrade`, (route) =>
    route.fulfill({ status: 409, json: { error: "worker_runtime_unavailable", message: "It is not running." } })
  )
  await page.route(`**/v1/workers/${stopped.id}`, async (route) => {
    const text = await (await route.fetch()).text()
    await route.fulfill({
      contentType: "application/json",
      body: text.replace('"status":"running"', '"status":"failed"')
    })
  })
  await open("/workers")
  for (const name of ["Running", "Stopped", "On a laptop"]) {
    await page
      .getByRole("row", { name: new RegExp(name) })
      .getByRole("checkbox")
      .check()
  }
  await page.getByRole("toolbar").getByRole("button", { name: "Upgrade the runtimes" }).click()
  const question = page.getByRole("dialog", { name: "Upgrade 2 runtimes" })
  await question.getByRole("list", { name: "Running runtimes" }).getByText("Running: version 1.0.0").waitFor()
  await question.getByText("1 runtime is not running, and cannot be upgraded now.").waitFor()
  await checkAccessibility(page)
  await question.getByRole("button", { name: "Upgrade 2 runtimes" }).click()
  await question.getByText("1 runtime was asked to upgrade.").waitFor()
  await question.getByRole("list", { name: "Problems" }).getByText("Stopped").waitFor()
  await becomes(owner, running.path, { worker: { imageVersion: "1.1.0" } })
  expect((await owner.client.workers.get(stopped.id)).worker.imageVersion).not.toBe("1.1.0")
})

it("shows the state of a runtime only to members who manage the worker", async () => {
  const { open, page } = await viewer(member)
  const worker = await makeCloudWorker(owner, "Of the owner")
  await becomes(owner, worker.path, { instance: { status: "running" } })
  await open(`/workers/${worker.id}`)
  await page.getByRole("heading", { name: "Runtime" }).waitFor()
  expect(await page.getByRole("button", { name: "Upgrade the runtime" }).count()).toBe(0)
  expect(await page.getByText("You are not allowed to do this").count()).toBe(0)
  const own = await viewer(owner)
  await own.open(`/workers/${worker.id}`)
  await own.page.getByRole("button", { name: "Upgrade the runtime" }).waitFor()
  await own.page.getByRole("region", { name: "State of the runtime" }).getByText("1.0.0").waitFor()
})
