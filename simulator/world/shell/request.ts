/** Standard input of a run: comes from a client, or is empty. */
export interface InputSource {
  /** A client may still send something. */
  readonly live: boolean;
  /** All bytes, when the client closed it. The second call gives nothing: it was read. */
  read(): Promise<string>;
}

export const NO_INPUT: InputSource = { live: false, read: async () => '' };

export interface ShellRequest {
  readonly user: string;
  readonly text: string;
  /** Positional parameters, `$0` first. */
  readonly positional?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: InputSource;
  /** Bytes; instead of `input`. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  readonly umask?: number;
  /** Process id of the shell. */
  readonly pid?: number;
  /** Called with output (bytes) while the script runs. What the shell itself says comes with the end of the script. */
  readonly sink?: (bytes: string) => void;
  /** Command lines (joined by NUL) that are in the ledger already, as the tail of another. */
  readonly announced?: Set<string>;
}

export interface ShellResult {
  /** Bytes. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}
