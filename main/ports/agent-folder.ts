// The folder in which a person puts agents as files.

export interface FolderFile {
  readonly name: string;
  /** undefined: it cannot be read, and `flaw` says why. */
  readonly text: string | undefined;
  readonly flaw: string | null;
}

export interface AgentFolder {
  /** The files whose names end in ".md", by name. One that cannot be read is there, too. */
  list(): readonly FolderFile[];
}
