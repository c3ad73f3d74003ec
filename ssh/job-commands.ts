/**
 * The commands that start, follow and end a job on a node: plain POSIX sh, always as `sudo -n sh -c SNIPPET vnflow
 * ARGS…`; a look, of which there are many, as `sudo -n sh -s -- ARGS…` with the script on standard input, because sudo
 * writes each command line into the log of the node. Secrets are never arguments; they are sent through standard input.
 * The files of a job, all 0600 in 0700 directories of root:
 *
 *   ROOT/scripts/SHA256            install scripts, by content
 *   ROOT/incoming/NONCE            an environment file on its way in
 *   ROOT/lock                      held from the look at the state to the start, so that a job is started only once
 *   ROOT/jobs/ID/script            copy of the script that runs
 *   ROOT/jobs/ID/run, step         what the unit runs: `run` bounds the time of `step`, `step` runs the script
 *   ROOT/jobs/ID/alive             locked while the script runs: waiting for the lock is waiting for the end
 *   ROOT/jobs/ID/env               parameters; removed as soon as the script has read them
 *   ROOT/jobs/ID/unit              name of the systemd unit
 *   ROOT/jobs/ID/log               output of the script
 *   ROOT/jobs/ID/output, secret-output
 *   ROOT/jobs/ID/exit              exit code, or `timeout`; written as the last file, by rename
 *   ROOT/jobs/ID.failed-N          an earlier attempt
 *
 * A job's folder stays while its operation is open: its outcome makes a repeated attempt idempotent. The first job of a
 * later operation removes it.
 */
import { commandLine } from './quote.ts';
import { sudoCommand } from './sudo.ts';

/**
 * Prints the state of the job in `$dir` and changes nothing: absent, running, finished, vanished or unclear. A job
 * counts as running until systemd has removed its unit: only then the log is complete.
 */
const JOB_STATE = `job_state() {
  if [ ! -d "$dir" ]; then echo absent; return; fi
  ended=vanished
  if [ -f "$dir/exit" ]; then ended=finished; fi
  if [ ! -f "$dir/unit" ]; then echo "$ended"; return; fi
  active=$(systemctl is-active "$(cat "$dir/unit")" 2>/dev/null)
  case "$active" in
    active|activating|deactivating|reloading) echo running ;;
    inactive|failed|unknown) if [ -f "$dir/exit" ]; then echo finished; else echo vanished; fi ;;
    *) if [ -f "$dir/exit" ]; then echo finished; else echo unclear; fi ;;
  esac
}
`;

/** The main process of the unit. `step` writes the exit code; `run` writes it when the time limit has killed `step`. */
const RUN = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
flock -o ./alive timeout -k 30 "$1" sh ./step
code=$?
if [ ! -f exit ]; then
  case "$code" in 124|137) code=timeout ;; esac
  printf '%s\\n' "$code" > exit.new
  mv exit.new exit
fi
`;

/** The arguments are written into the file, because systemd would expand `$` in the command line of the unit. */
function stepFile(args: readonly string[]): string {
  return `#!/bin/sh
HOME=/root
export HOME
. ./env
rm -f env
VNFLOW_OUTPUT=$PWD/output
VNFLOW_SECRET_OUTPUT=$PWD/secret-output
export VNFLOW_OUTPUT VNFLOW_SECRET_OUTPUT
bash ./script ${commandLine(args)}
code=$?
printf '%s\\n' "$code" > exit.new
mv exit.new exit
`;
}

/**
 * Removes the folders of jobs of other operations: a node has one operation at a time, so those have ended. Jobs that are
 * of no operation stay, and jobs that run. systemd is asked only about a job without an exit code.
 */
const REMOVE_ENDED = `remove_ended() {
  for dir in "$root"/jobs/????????-????-????-????-????????????-*; do
    case "\${dir##*/}" in "$operation"-*) continue ;; esac
    if [ ! -f "$dir/exit" ] && [ "$(job_state)" != vanished ]; then continue; fi
    rm -rf "$dir"
  done
}
`;

/** Runs under the lock: starts the job unless it runs or has succeeded. Prints one word: what it found or did. */
const LOOK_AND_START = `${JOB_STATE}${REMOVE_ENDED}
root=$1 id=$2 sha=$3 nonce=$4 limit=$5 description=$6 run=$7 step=$8 operation=$9
if [ -n "$operation" ]; then remove_ended; fi
dir=$root/jobs/$id
env=$root/incoming/$nonce
state=$(job_state)
if [ "$state" = finished ] && [ "$(cat "$dir/exit")" = 0 ]; then rm -f "$env"; echo succeeded; exit 0; fi
case "$state" in running|unclear) rm -f "$env"; echo "$state"; exit 0 ;; esac
if [ ! -f "$root/scripts/$sha" ]; then rm -f "$env"; echo script-missing; exit 0; fi
n=1
while [ -e "$dir.failed-$n" ]; do n=$((n+1)); done
if [ "$state" != absent ]; then
  rm -f "$dir/env" "$dir/secret-output"
  mv "$dir" "$dir.failed-$n" || exit 1
  n=$((n+1))
fi
unit=vnflow-$id-$n
mkdir -p "$dir" && chmod 700 "$dir" || exit 1
mv "$env" "$dir/env" || exit 1
cp "$root/scripts/$sha" "$dir/script" || exit 1
printf '%s' "$run" > "$dir/run"
printf '%s' "$step" > "$dir/step"
: > "$dir/log"
: > "$dir/output"
: > "$dir/secret-output"
chmod 600 "$dir/env" "$dir/script" "$dir/run" "$dir/step" "$dir/log" "$dir/output" "$dir/secret-output" || exit 1
printf '%s\\n' "$unit" > "$dir/unit"
systemd-run --quiet --collect --unit="$unit" --description="$description" \\
  --property=UMask=0077 --property=TimeoutStopSec=20 --property=RuntimeMaxSec=$((limit+60)) \\
  --property="StandardOutput=append:$dir/log" --property="StandardError=append:$dir/log" \\
  /bin/sh "$dir/run" "$limit" || exit 1
n=0
while [ ! -f "$dir/alive" ] && [ "$n" -lt 50 ]; do sleep 0.1; n=$((n+1)); done # so that the first look can wait for its end
echo started
`;

/**
 * Reads the environment from standard input before it takes the lock, so that a slow connection does not hold the lock.
 * The last line must be the end mark: when the connection breaks in the middle, the mark is missing, and nothing is
 * started.
 */
const RECEIVE_AND_START = `umask 077
root=$1 nonce=$3 inner=$2
mkdir -p "$root/incoming" "$root/jobs" "$root/scripts" && chmod 700 "$root" "$root/incoming" "$root/jobs" "$root/scripts" || exit 1
cat > "$root/incoming/$nonce" || exit 1
chmod 600 "$root/incoming/$nonce"
if [ "$(tail -n 1 "$root/incoming/$nonce")" != "# end $nonce" ]; then rm -f "$root/incoming/$nonce"; echo incomplete; exit 0; fi
shift 3
flock -o -w 60 "$root/lock" sh -c "$inner" vnflow "$root" "$@"
`;

/** Stores a script under its SHA-256. Prints `stored`, or `incomplete` when the received text has another hash. */
const STORE_SCRIPT = `umask 077
root=$1 sha=$2 nonce=$3
new=$root/incoming/$nonce
mkdir -p "$root/incoming" "$root/scripts" || exit 1
cat > "$new" || exit 1
if [ "$(sha256sum < "$new" | cut -c1-64)" != "$sha" ]; then rm -f "$new"; echo incomplete; exit 0; fi
chmod 600 "$new" && mv "$new" "$root/scripts/$sha" && echo stored
`;

/**
 * Waits until the script has ended, but not longer than `wait`; then prints the state, and after it the log. When the
 * state is `finished`, the log that follows is complete. It is a function, so that nothing runs when the script arrives only
 * in part, and no command in it reads the script.
 */
const LOOK = `${JOB_STATE}
look() {
root=$1 id=$2 from=$3 max=$4 wait=$5 most=$6
dir=$root/jobs/$id
if [ -f "$dir/alive" ] && flock -w "$wait" "$dir/alive" true && [ -f "$dir/exit" ]; then
  if [ "$(job_state)" = running ]; then sleep 0.1; fi # systemd removes the unit
fi
state=$(job_state)
echo "state $state"
if [ "$state" = absent ]; then return; fi
if [ "$state" = finished ]; then
  code=$(cat "$dir/exit")
  echo "exit $code"
  if [ "$code" = 0 ]; then
    sed 's/^/output /' "$dir/output"
    if [ -f "$dir/secret-output" ]; then sed 's/^/secret /' "$dir/secret-output"; fi
  fi
fi
if [ ! -f "$dir/log" ]; then return; fi
size=$(wc -c < "$dir/log")
if [ "$((size-from))" -gt "$most" ]; then from=$((size-max)); fi
echo "log $from"
if [ "$size" -gt "$from" ]; then tail -c "+$((from+1))" "$dir/log" | head -c "$max"; fi
}
look "$@" < /dev/null
`;

const FORGET_SECRETS = `rm -f "$1/jobs/$2/secret-output" "$1/jobs/$2/env"`;

const STOP = `dir=$1/jobs/$2
if [ -f "$dir/unit" ] && [ ! -f "$dir/exit" ]; then systemctl stop "$(cat "$dir/unit")"; fi
exit 0`;

/** Where jobs live on a node. */
export const JOB_ROOT = '/var/lib/vnflow';

function asRoot(snippet: string, args: readonly string[]): string {
  return sudoCommand(['sh', '-c', snippet, 'vnflow', ...args]);
}

export interface StartCommand {
  readonly root: string;
  readonly id: string;
  /** SHA-256 of the script, hexadecimal. */
  readonly sha: string;
  /** A random name, used once. */
  readonly nonce: string;
  readonly limitSeconds: number;
  readonly description: string;
  /** Arguments of the script (the phase). Visible in the process list: never a secret. */
  readonly args: readonly string[];
  /** Id of the operation that the job is of: a UUID, with which the ids of its jobs begin. */
  readonly operation?: string | undefined;
}

/**
 * Starts a job, and removes the folders of jobs of earlier operations. Standard input: the environment file followed by
 * the line `# end NONCE`. Prints started, running, succeeded, script-missing, incomplete or unclear.
 */
export function startCommand(start: StartCommand): string {
  const { root, id, sha, nonce, limitSeconds, description, args, operation = '' } = start;
  const inner = [id, sha, nonce, String(limitSeconds), description, RUN, stepFile(args), operation];
  return asRoot(RECEIVE_AND_START, [root, LOOK_AND_START, nonce, ...inner]);
}

/** Stores an install script. Standard input: the script. Prints stored or incomplete. */
export function storeScriptCommand(root: string, sha: string, nonce: string): string {
  return asRoot(STORE_SCRIPT, [root, sha, nonce]);
}

/**
 * Prints `state STATE`, `exit CODE`, `output KEY=value`…, `secret KEY=value`…, then `log OFFSET` and the raw bytes of
 * the log from there on, at most `max`. If there are more than `most`, the newest.
 * @param look.waitSeconds how long the node may wait for the end of the job before it answers
 * @returns the command line, and its standard input
 */
export function lookCommand(
  root: string,
  id: string,
  look: { from: number; max: number; most: number; waitSeconds: number },
): { readonly command: string; readonly stdin: string } {
  const { from, max, most, waitSeconds } = look;
  const args = [root, id, String(from), String(max), waitSeconds.toFixed(3), String(most)];
  return { command: sudoCommand(['sh', '-s', '--', ...args]), stdin: LOOK };
}

export function forgetSecretsCommand(root: string, id: string): string {
  return asRoot(FORGET_SECRETS, [root, id]);
}

export function stopCommand(root: string, id: string): string {
  return asRoot(STOP, [root, id]);
}
