/** Standard input of a shell: from a client, or empty. */
export interface InputSource {
  /** True while a client may send more. */
  readonly live: boolean;
  /** Returns all bytes after the client closed its side. A second call returns nothing. */
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
  /** Standard input as bytes, instead of `input`. */
  readonly stdin?: string;
  /** Ends the shell; the power of the machine does so anyway. */
  readonly signal?: AbortSignal;
  /** The signal of the command that starts this shell, instead of `signal`: it fires with the power of the machine. */
  readonly within?: AbortSignal;
  readonly umask?: number;
  /** Process id of the shell. */
  readonly pid?: number;
  /** Called with output (bytes) while the script runs. Messages of the shell itself come at the end of the script. */
  readonly sink?: (bytes: string) => void;
  /** Command lines (joined by NUL) that the ledger already contains as the tail of another one. */
  readonly announced?: Set<string>;
}

export interface ShellResult {
  /** Bytes. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}
