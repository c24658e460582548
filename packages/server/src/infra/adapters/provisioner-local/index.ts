export { layerLocalProvisioner, type LocalProvisionerOptions } from "./local-provisioner.ts"
