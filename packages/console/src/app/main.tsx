import { QueryClientProvider, useQuery } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { client, queries, statusOf } from "./api/client.ts"
import "./design/ui.css"
import { Failure } from "./design/ui.tsx"
import { SignIn } from "./pages/sign-in.tsx"
import { router } from "./router.tsx"
import { applyTheme, storedTheme } from "./shell/theme.ts"

const App = () => {
  const user = useQuery({ queryKey: ["me"], queryFn: ({ signal }) => client.users.get({ signal }), staleTime: 60_000 })
  if (statusOf(user.error) === 401) return <SignIn />
  if (user.isError) return <Failure error={user.error} retry={() => void user.refetch()} />
  return user.isPending ? null : <RouterProvider router={router} />
}

applyTheme(storedTheme())

const element = document.getElementById("root")
if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>
  )
}
