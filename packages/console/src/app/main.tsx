import { CSPProvider } from "@base-ui/react/csp-provider"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { startTransition, StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queries } from "./api/client.ts"
import { me, ownOrganizations, ownPermissions } from "./api/permissions.ts"
import { wasSignedIn } from "./api/session-state.ts"
import "./design/ui.css"
import { router } from "./router.tsx"
import { Session } from "./shell/session.tsx"
import { applyTheme, storedTheme } from "./shell/theme.ts"

const start = () => {
  // Together with the code of the page, and not one after another.
  if (wasSignedIn()) {
    void queries.prefetchQuery(me)
    void queries.prefetchQuery(ownOrganizations)
    void queries.prefetchQuery(ownPermissions)
  }
  void router.load()

  const element = document.getElementById("root")
  if (element !== null) {
    const page = (
      <StrictMode>
        {/* The policy of the page allows no inline styles. */}
        <CSPProvider disableStyleElements>
          <QueryClientProvider client={queries}>
            <Session>
              <RouterProvider router={router} />
            </Session>
          </QueryClientProvider>
        </CSPProvider>
      </StrictMode>
    )
    // In short tasks, between which the browser can react.
    startTransition(() => createRoot(element).render(page))
  }
}

applyTheme(storedTheme())
// The evaluation of the modules is a long task already. The browser can react before the next one.
setTimeout(start)
