interface WrittenVersion {
  readonly id: string
  readonly ordinal: number
  readonly contentDigest: string
}

/** Creates the description of a write for the audit log; `isNew` is false if the latest version was the same. */
export const describeVersion =
  (target: string, restoredVersionId: string | undefined) =>
  ({ isNew, version }: { readonly isNew: boolean; readonly version: WrittenVersion }) => ({
    target,
    after: {
      versionId: version.id,
      ordinal: version.ordinal,
      contentDigest: version.contentDigest,
      changed: isNew,
      ...(restoredVersionId === undefined ? {} : { restoredVersionId })
    }
  })
