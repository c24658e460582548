/** The theme that the person selected; without one, that of the system. */
export type Theme = "system" | "light" | "dark"

const key = "orgplane-theme"

export const storedTheme = (): Theme => {
  const value = localStorage.getItem(key)
  return value === "light" || value === "dark" ? value : "system"
}

export const applyTheme = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

export const setTheme = (theme: Theme): void => {
  localStorage.setItem(key, theme)
  applyTheme(theme)
}
