import { componentPaths } from "../../plugins/component-paths.ts"
import { type ComponentKind, componentKindNames, type MappingPlan, objectTypeOf, type ObjectType } from "./candidate.ts"
import { filesIn, isMarkdown } from "./files.ts"
import { selectorLengthMax, textBytesMax } from "./limits.ts"
import type { ComponentRef } from "./manifest.ts"
import { resolveInside, showPath } from "./paths.ts"
import type { Tree } from "./tree.ts"
import type { Warnings } from "./warnings.ts"

/** The component lists of one manifest, and how its inline components are addressed. */
export interface Declared {
  readonly manifestPath: string
  /** JSON pointer of the plugin in that manifest; "" for a plugin.json. */
  readonly pointer: string
  readonly components: Readonly<Record<ComponentKind, ReadonlyArray<ComponentRef>>>
}

const requiredFile: Readonly<Record<ComponentKind, string>> = {
  agents: "Markdown file",
  commands: "Markdown file",
  hooks: "JSON file",
  lspServers: "JSON file",
  mcpServers: "JSON file",
  monitors: "JSON file",
  settings: "JSON file",
  skills: "folder with a SKILL.md"
}

interface SelectorResult {
  readonly count: number
  readonly tooLarge: ReadonlyArray<string>
}

/** Plans mappings for one tree. Caches the files of each selector, because many plugins may name the same folder. */
export const makePlanner = (tree: Tree) => {
  const cache = new Map<string, SelectorResult>()

  const find = (selector: string, objectType: ObjectType): SelectorResult => {
    const key = `${objectType} ${selector}`
    let result = cache.get(key)
    if (result === undefined) {
      const files = filesIn(tree, { selector, objectType })
      const tooLarge = files.filter(({ size }) => size > textBytesMax).slice(0, 5)
      result = { count: files.length, tooLarge: tooLarge.map(({ path }) => path) }
      cache.set(key, result)
    }
    return result
  }

  /** The selector for a component at `path`, or why there is none. */
  const selectorFor = (root: string, kind: ComponentKind, path: string): { selector: string } | { reason: string } => {
    const name = path.slice(path.lastIndexOf("/") + 1)
    const at = (child: string) => (path === "" ? child : `${path}/${child}`)
    const isFile = tree.file(path) !== undefined
    let selector = path === "" ? "." : path
    if (kind === "skills") {
      if (isFile && name !== "SKILL.md") return { reason: "is not a SKILL.md" }
      const folder = isFile ? path.slice(0, -"/SKILL.md".length) : path
      const isSkillFolder = isFile || tree.file(at("SKILL.md")) !== undefined
      // The root of a plugin contains more than its skill, so the file itself is selected.
      if (isSkillFolder) selector = folder === root ? (root === "" ? "SKILL.md" : `${root}/SKILL.md`) : folder
    } else if (isFile) {
      const markdown = kind === "agents" || kind === "commands"
      if (!(markdown ? isMarkdown(path) : /\.json$/iu.test(path))) return { reason: `is not a ${requiredFile[kind]}` }
    }
    if (selector.length > selectorLengthMax) return { reason: `is longer than ${selectorLengthMax} characters` }
    if (find(selector, objectTypeOf[kind]).count > 0) return { selector }
    return {
      reason: isFile || tree.under(path).length > 0 ? `has no ${requiredFile[kind]}` : "is not in the repository"
    }
  }

  /** Removes selectors inside a folder that is already selected: they would import the same files twice. */
  const withoutOverlap = (plans: ReadonlyArray<MappingPlan>): Array<MappingPlan> => {
    const whole = new Set(
      plans.filter(({ pointer }) => pointer === null).map((plan) => `${plan.component} ${plan.selector}`)
    )
    const covered = ({ component, pointer, selector }: MappingPlan): boolean => {
      if (pointer !== null || selector === ".") return false
      const segments = selector.split("/")
      const parents = segments.map((_, index) => segments.slice(0, index).join("/") || ".").toReversed()
      // Markdown is found at any depth, skills and JSON files one level down.
      const deep = component === "agents" || component === "commands"
      if (component === "skills" && tree.file(`${selector}/SKILL.md`) === undefined) return false
      return (deep ? parents : parents.slice(0, 1)).some((parent) => whole.has(`${component} ${parent}`))
    }
    return plans.filter((plan) => !covered(plan))
  }

  const plan = (root: string, declared: ReadonlyArray<Declared>, warnings: Warnings): ReadonlyArray<MappingPlan> => {
    const plans = new Map<string, MappingPlan>()
    const add = (component: ComponentKind, selector: string, pointer: string | null) => {
      const objectType = objectTypeOf[component]
      plans.set(`${component} ${pointer ?? ""} ${selector}`, {
        mappingKind: "path",
        selector,
        objectType,
        pointer,
        component
      })
      if (pointer !== null) return
      for (const path of find(selector, objectType).tooLarge) {
        warnings.add(`${showPath(path)} is larger than ${textBytesMax} bytes and is not imported.`)
      }
    }
    for (const kind of componentKindNames) {
      const usual = root === "" ? componentPaths[kind] : `${root}/${componentPaths[kind]}`
      let narrowed = false
      for (const { components, manifestPath, pointer } of declared) {
        for (const ref of components[kind]) {
          if (ref.kind === "inline") {
            if (manifestPath.length <= selectorLengthMax) add(kind, manifestPath, pointer + ref.pointer)
            else
              warnings.add(
                `${showPath(manifestPath)} is longer than ${selectorLengthMax} characters; its ${kind} are not imported.`
              )
            continue
          }
          const resolved = resolveInside(root, ref.path)
          const selected = resolved.ok ? selectorFor(root, kind, resolved.path) : resolved
          // Entries that share the repository root list only some of its folders, so the default folder is not added as
          // a whole.
          if (root === "" && pointer !== "" && resolved.ok && resolved.path.startsWith(`${usual}/`)) narrowed = true
          if ("selector" in selected) add(kind, selected.selector, null)
          else warnings.add(`"${kind}" lists ${showPath(ref.path)}, which ${selected.reason}.`)
        }
      }
      if (!narrowed) {
        const selected = selectorFor(root, kind, usual)
        if ("selector" in selected) add(kind, selected.selector, null)
        else if (tree.file(usual) !== undefined || tree.under(usual).length > 0) {
          warnings.add(`${showPath(usual)} ${selected.reason}.`)
        }
      }
    }
    const single = root === "" ? "SKILL.md" : `${root}/SKILL.md`
    const hasSkills = [...plans.values()].some(({ component }) => component === "skills")
    if (!hasSkills && tree.file(single) !== undefined && single.length <= selectorLengthMax) add("skills", single, null)
    return withoutOverlap([...plans.values()]).sort(byComponent)
  }

  return { plan }
}

export type Planner = ReturnType<typeof makePlanner>

const byComponent = (a: MappingPlan, b: MappingPlan): number => {
  const kinds = componentKindNames.indexOf(a.component) - componentKindNames.indexOf(b.component)
  if (kinds !== 0) return kinds
  const left = `${a.selector}\u0000${a.pointer ?? ""}`
  const right = `${b.selector}\u0000${b.pointer ?? ""}`
  return left < right ? -1 : left > right ? 1 : 0
}
