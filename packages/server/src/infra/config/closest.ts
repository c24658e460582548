import { editDistance } from "@orgplane/schema/shared/edit-distance"

const distanceMax = 3

/** The only name with the smallest edit distance, if it is at most 3 and a third of the name. Case is ignored. */
export const closest = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const near = names
    // The distance is at least the difference of the lengths, and computing it takes long for long names.
    .filter((candidate) => Math.abs(candidate.length - name.length) <= distanceMax)
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.min(distanceMax, Math.floor(candidate.length / 3)))
    .toSorted((left, right) => left.distance - right.distance)
  return near[0] !== undefined && near[0].distance !== near[1]?.distance ? near[0].candidate : undefined
}
