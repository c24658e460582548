export { type Bounds, boundsDefault } from "./bounds.ts"
export { type CodeHostGitOptions, layerCodeHostGit, makeCodeHostGit } from "./code-host-git.ts"
export { makeWorkFolder } from "./work-dir.ts"
