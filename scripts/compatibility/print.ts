/** Prints the public surface of the sources beside this script. */
import { currentSurface, printSurface } from "./surface.ts"

process.stdout.write(printSurface(await currentSurface()))
