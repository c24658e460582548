/**
 * A tree whose nodes can be checked, as in file managers: the arrow keys move, open and close, and Space checks. A node with
 * children is checked if all of them are.
 */
import { type KeyboardEvent, type ReactNode, useState } from "react"
import "./tree.css"

export interface TreeNode {
  readonly id: string
  readonly title: ReactNode
  readonly detail?: ReactNode
  readonly isDisabled?: boolean
  readonly children?: ReadonlyArray<TreeNode>
}

const leavesOf = (node: TreeNode): ReadonlyArray<string> =>
  node.children === undefined || node.children.length === 0
    ? node.isDisabled === true
      ? []
      : [node.id]
    : node.children.flatMap(leavesOf)

interface Visible {
  readonly node: TreeNode
  readonly level: number
  readonly parent: string | undefined
}

const visibleOf = (
  nodes: ReadonlyArray<TreeNode>,
  closed: ReadonlySet<string>,
  level = 1,
  parent?: string
): ReadonlyArray<Visible> =>
  nodes.flatMap((node) => [
    { node, level, parent },
    ...(node.children === undefined || closed.has(node.id) ? [] : visibleOf(node.children, closed, level + 1, node.id))
  ])

export const Tree = ({
  checked,
  label,
  nodes,
  onChange,
  onSelect,
  selected
}: {
  readonly label: string
  readonly nodes: ReadonlyArray<TreeNode>
  /** IDs of the checked nodes without children. Without it, the tree has no checkboxes. */
  readonly checked?: ReadonlySet<string>
  readonly onChange?: (checked: ReadonlySet<string>) => void
  readonly selected?: string | undefined
  readonly onSelect?: (id: string) => void
}) => {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState<string>()
  const visible = visibleOf(nodes, closed)
  const current = visible.find(({ node }) => node.id === focused) ?? visible[0]

  const setOpen = (id: string, isOpen: boolean) => {
    const next = new Set(closed)
    if (isOpen) next.delete(id)
    else next.add(id)
    setClosed(next)
  }
  const toggle = (node: TreeNode) => {
    if (checked === undefined) return
    const leaves = leavesOf(node)
    const next = new Set(checked)
    const isChecked = leaves.every((id) => checked.has(id))
    for (const id of leaves) {
      if (isChecked) next.delete(id)
      else next.add(id)
    }
    onChange?.(next)
  }
  const focus = (event: KeyboardEvent<HTMLElement>, id: string | undefined) => {
    if (id === undefined) return
    setFocused(id)
    event.currentTarget
      .closest("[role=tree]")
      ?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)
      ?.focus()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, { node, parent }: Visible) => {
    if (event.target !== event.currentTarget) return
    const index = visible.findIndex((each) => each.node.id === node.id)
    const hasChildren = node.children !== undefined && node.children.length > 0
    const isOpen = hasChildren && !closed.has(node.id)
    switch (event.key) {
      case "ArrowDown":
        focus(event, visible[index + 1]?.node.id)
        break
      case "ArrowUp":
        focus(event, visible[index - 1]?.node.id)
        break
      case "ArrowRight":
        if (isOpen) focus(event, visible[index + 1]?.node.id)
        else if (hasChildren) setOpen(node.id, true)
        break
      case "ArrowLeft":
        if (isOpen) setOpen(node.id, false)
        else focus(event, parent)
        break
      case "Home":
        focus(event, visible[0]?.node.id)
        break
      case "End":
        focus(event, visible.at(-1)?.node.id)
        break
      case " ":
        toggle(node)
        break
      case "Enter":
        onSelect?.(node.id)
        break
      default:
        return
    }
    event.preventDefault()
  }
  return (
    <div role="tree" aria-label={label} className="tree">
      {visible.map((each) => {
        const { level, node } = each
        const hasChildren = node.children !== undefined && node.children.length > 0
        const leaves = checked === undefined ? [] : leavesOf(node)
        const count = leaves.filter((id) => checked?.has(id) === true).length
        const state = count === 0 ? "false" : count === leaves.length ? "true" : "mixed"
        return (
          <div
            role="treeitem"
            key={node.id}
            data-id={node.id}
            aria-level={level}
            aria-expanded={hasChildren ? !closed.has(node.id) : undefined}
            aria-checked={checked === undefined ? undefined : state}
            aria-selected={onSelect === undefined ? undefined : node.id === selected}
            aria-disabled={node.isDisabled}
            tabIndex={node.id === current?.node.id ? 0 : -1}
            className="tree-item"
            style={{ paddingLeft: (level - 1) * 20 + 6 }}
            onFocus={() => setFocused(node.id)}
            onKeyDown={(event) => onKeyDown(event, each)}
            onClick={() => (onSelect === undefined ? toggle(node) : onSelect(node.id))}
          >
            <span
              className="tree-toggle"
              aria-hidden="true"
              onClick={(event) => {
                event.stopPropagation()
                if (hasChildren) setOpen(node.id, closed.has(node.id))
              }}
            >
              {hasChildren ? (closed.has(node.id) ? "▸" : "▾") : ""}
            </span>
            {checked !== undefined && (
              <span
                className="tree-check"
                data-state={state}
                aria-hidden="true"
                onClick={(event) => {
                  event.stopPropagation()
                  toggle(node)
                }}
              />
            )}
            <span className="tree-title">{node.title}</span>
            {node.detail !== undefined && <span className="muted tree-detail">{node.detail}</span>}
          </div>
        )
      })}
    </div>
  )
}
