/** The page after the sign-in of a mail or calendar account. */
import { client } from "../../api/client.ts"
import { usePathParameter } from "../../parameters.ts"
import { suiteOf } from "./suites.ts"
import { Completed } from "./completed.tsx"

export const Page = () => {
  const suite = suiteOf(usePathParameter("suite"))
  return (
    <Completed
      path={`/capabilities/${suite}`}
      complete={(returned, headers) =>
        client.capabilities.completeConnect(suite, returned, { headers, signal: undefined })
      }
    />
  )
}
