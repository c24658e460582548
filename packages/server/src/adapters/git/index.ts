export { type Bounds, boundsDefault } from "./bounds.ts"
export { type CodeHostGitOptions, layerCodeHostGit } from "./code-host-git.ts"
