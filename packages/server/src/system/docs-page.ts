export const docsPage = ""
