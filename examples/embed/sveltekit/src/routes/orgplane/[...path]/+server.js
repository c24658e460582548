import { controlPlane } from "../../../lib/server/control-plane.js"

/** Every method of every path below `/orgplane`. */
export const fallback = async ({ getClientAddress, request }) =>
  (await controlPlane).fetch(request, { remoteAddress: getClientAddress() })
