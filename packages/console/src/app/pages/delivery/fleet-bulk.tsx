/** Removes the devices that are selected in a list, such as laptops that are no longer used. */
import type { Device } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { plural } from "../../design/text.ts"
import { Name } from "../../objects/names.tsx"

const Consequences = ({ devices }: { readonly devices: ReadonlyArray<Device> }) => {
  const isOne = devices.length === 1
  const online = devices.filter(({ offline }) => !offline).length
  const wanted = devices.reduce((sum, { installations }) => sum + installations.wanted, 0)
  return (
    <>
      <p>
        {isOne ? "Its last report is deleted" : "Their last reports are deleted"}, and{" "}
        {plural(wanted, "installation is", "installations are")} no longer counted. Nothing changes on the{" "}
        {isOne ? "device itself: when it reports" : "devices themselves: when one reports"} again, it is listed again.
      </p>
      {online > 0 && <p>{isOne ? "The device is online." : `${plural(online, "device is", "devices are")} online.`}</p>}
    </>
  )
}

export const DevicesBulk = ({
  clear,
  devices
}: {
  readonly devices: ReadonlyArray<Device>
  readonly clear: () => void
}) => (
  <BulkButton
    action="Remove"
    done="removed"
    isDangerous
    nouns={["device", "devices"]}
    rows={devices}
    clear={clear}
    nameOf={({ agent, orgMembershipId }) => (
      <>
        {agent} of <Name kind="member" id={orgMembershipId} link={false} />
      </>
    )}
    changes={["delivery"]}
    work={({ id, orgMembershipId }) => client.delivery.removeDevice(orgMembershipId, id)}
    consequences={<Consequences devices={devices} />}
  />
)
