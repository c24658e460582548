export { layerLocalProvisioner, type LocalProvisionerOptions } from "./local-provisioner.ts"
export { type CommandFault, inspectCommand } from "./program.ts"
