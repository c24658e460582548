/** The language of the examples: a tab that the reader selects is selected in every example, and remembered. */

const storageKey = "orgplane-language"

const select = (label: HTMLLabelElement): void => {
  const input = document.getElementById(label.htmlFor)
  const group = label.closest(".vp-code-group")
  if (!(input instanceof HTMLInputElement) || group === null || input.checked) return
  const index = [...group.querySelectorAll("label")].indexOf(label)
  input.checked = true
  for (const [position, block] of [...group.querySelectorAll(".blocks > *")].entries())
    block.classList.toggle("active", position === index)
}

const selectAll = (language: string): void => {
  for (const label of document.querySelectorAll<HTMLLabelElement>(".vp-code-group label"))
    if (label.textContent === language) select(label)
}

/** Follows the reader's selection. Returns the function that applies it to a new page. */
export const followLanguage = (): (() => void) => {
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest(".vp-code-group") === null) return
    const language = target.labels?.[0]?.textContent ?? ""
    const before = target.getBoundingClientRect().top
    localStorage.setItem(storageKey, language)
    selectAll(language)
    // Examples above have a new height, but the selected one stays where it is.
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" })
  })
  return () => selectAll(localStorage.getItem(storageKey) ?? "")
}
