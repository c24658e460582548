/**
 * A tree whose nodes can be checked, as in file managers: the arrow keys move, open and close, and Space checks. A node with
 * children is checked if all of them are. Only the nodes that are visible are rendered.
 */
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef, useState } from "react"
import { useRowFocus, withRow } from "./virtual-rows.ts"
import "./tree.css"

export interface TreeNode {
  readonly id: string
  readonly title: ReactNode
  readonly detail?: ReactNode
  readonly isDisabled?: boolean
  readonly children?: ReadonlyArray<TreeNode>
}

type State = "true" | "false" | "mixed"

const childrenOf = ({ children = [] }: TreeNode) => children

/** The nodes below, or the node itself, that can be checked. */
const leavesOf = (node: TreeNode): ReadonlyArray<string> => {
  const children = childrenOf(node)
  if (children.length > 0) return children.flatMap(leavesOf)
  return node.isDisabled === true ? [] : [node.id]
}

/** How many nodes below each node can be checked, and how many of them are. */
const countsOf = (nodes: ReadonlyArray<TreeNode>, checked: ReadonlySet<string>) => {
  const states = new Map<string, State>()
  const count = (node: TreeNode): readonly [all: number, checked: number] => {
    const children = childrenOf(node)
    let all = 0
    let some = 0
    if (children.length === 0) {
      all = node.isDisabled === true ? 0 : 1
      some = all === 1 && checked.has(node.id) ? 1 : 0
    }
    for (const child of children) {
      const [below, checkedBelow] = count(child)
      all += below
      some += checkedBelow
    }
    states.set(node.id, some === 0 ? "false" : some === all ? "true" : "mixed")
    return [all, some]
  }
  for (const node of nodes) count(node)
  return states
}

interface Visible {
  readonly node: TreeNode
  readonly level: number
  readonly parent: string | undefined
  /** Its place among its siblings, from 1. */
  readonly place: number
  readonly siblings: number
}

const visibleOf = (nodes: ReadonlyArray<TreeNode>, closed: ReadonlySet<string>): ReadonlyArray<Visible> => {
  const visible: Array<Visible> = []
  const add = (siblings: ReadonlyArray<TreeNode>, level: number, parent: string | undefined) => {
    for (const [index, node] of siblings.entries()) {
      visible.push({ node, level, parent, place: index + 1, siblings: siblings.length })
      if (!closed.has(node.id)) add(childrenOf(node), level + 1, node.id)
    }
  }
  add(nodes, 1, undefined)
  return visible
}

/** A row with one line; titles that are too long for it make theirs higher. */
const rowHeight = 32

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
  const scroller = useRef<HTMLDivElement>(null)
  const focusRow = useRowFocus(scroller)
  const visible = useMemo(() => visibleOf(nodes, closed), [nodes, closed])
  const states = useMemo(() => (checked === undefined ? undefined : countsOf(nodes, checked)), [nodes, checked])
  const current = Math.max(
    0,
    visible.findIndex(({ node }) => node.id === focused)
  )
  const virtualizer = useVirtualizer({
    count: visible.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // The focused row stays, so that Tab leads back to it.
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), current),
    getItemKey: useCallback((index: number) => visible[index]?.node.id ?? index, [visible])
  })
  const items = virtualizer.getVirtualItems()

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
  const focus = (index: number) => {
    const target = Math.max(0, Math.min(visible.length - 1, index))
    setFocused(visible[target]?.node.id)
    virtualizer.scrollToIndex(target)
    focusRow(target)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, { node, parent }: Visible, index: number) => {
    if (event.target !== event.currentTarget) return
    const hasChildren = childrenOf(node).length > 0
    const isOpen = hasChildren && !closed.has(node.id)
    switch (event.key) {
      case "ArrowDown":
        focus(index + 1)
        break
      case "ArrowUp":
        focus(index - 1)
        break
      case "ArrowRight":
        if (isOpen) focus(index + 1)
        else if (hasChildren) setOpen(node.id, true)
        break
      case "ArrowLeft":
        if (isOpen) setOpen(node.id, false)
        else if (parent !== undefined) focus(visible.findIndex((each) => each.node.id === parent))
        break
      case "Home":
        focus(0)
        break
      case "End":
        focus(visible.length - 1)
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
    <div className="tree" ref={scroller}>
      <div role="tree" aria-label={label} className="tree-items" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const each = visible[index]
          if (each === undefined) return null
          const { level, node, place, siblings } = each
          const hasChildren = childrenOf(node).length > 0
          const state = states?.get(node.id) ?? "false"
          return (
            <div
              role="treeitem"
              key={node.id}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-level={level}
              aria-posinset={place}
              aria-setsize={siblings}
              aria-expanded={hasChildren ? !closed.has(node.id) : undefined}
              aria-checked={checked === undefined ? undefined : state}
              aria-selected={onSelect === undefined ? undefined : node.id === selected}
              aria-disabled={node.isDisabled}
              tabIndex={index === current ? 0 : -1}
              className="tree-item"
              style={{ paddingLeft: (level - 1) * 20 + 6, transform: `translateY(${start}px)` }}
              onFocus={() => setFocused(node.id)}
              onKeyDown={(event) => onKeyDown(event, each, index)}
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
    </div>
  )
}
