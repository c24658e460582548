import { controlPlane } from "../../../control-plane.js"

/** Every method of every path below `/orgplane`. */
const handle = async (request) => (await controlPlane).fetch(request)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
export const dynamic = "force-dynamic"
