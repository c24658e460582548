/** The areas of the console, in the order of the sidebar. */
import type { Area } from "./area.ts"
import { content } from "./pages/content/area.ts"
import { delivery } from "./pages/delivery/area.ts"
import { insights } from "./pages/insights/area.ts"
import { operations } from "./pages/operations/area.ts"
import { people } from "./pages/people/area.ts"
import { tools } from "./pages/tools/area.ts"

export const areas: ReadonlyArray<Area> = [content, delivery, tools, people, insights, operations]
