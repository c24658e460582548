/** What waits for a decision, and what is used. */
import { PageHeader } from "../design/ui.tsx"

export const Page = () => <PageHeader title="Home" />
