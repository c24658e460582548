/** The package `yaml`, which is loaded when a command first needs it. */
import type * as Yaml from "yaml"
import { enableRequire } from "../output/require.ts"

enableRequire()

export const yamlLibrary = () => require("yaml") as typeof Yaml
