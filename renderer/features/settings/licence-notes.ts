// The notices of the packages in the pages' own bundle, as the build writes them: a heading "##
// name - version (licence)" before each text. Pure.

const HEADING = /^## /m;

export interface LicenceNote {
  /** "svelte - 5.57.3 (MIT)" */
  readonly title: string;
  readonly paragraphs: readonly string[];
}

/** In the order of the file; what stands before the first heading says nothing of a package. */
export function readLicenceNotes(file: string): readonly LicenceNote[] {
  return file
    .split(HEADING)
    .slice(1)
    .map((part) => {
      const [title = '', ...paragraphs] = part.split(/\r?\n\s*\n/).map((text) => text.trim());
      return { title, paragraphs: paragraphs.filter((text) => text !== '') };
    });
}
