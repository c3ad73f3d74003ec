import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Runs the command as the present user; asks for a password when the file `sudo-wants-password` exists. */
const SUDO = `#!/bin/sh
if [ -f "$FAKE_ROOT/sudo-wants-password" ]; then echo 'sudo: a password is required' >&2; exit 1; fi
[ "$1" = -n ] && shift
exec "$@"
`;

/** Really detaches (own session), so that a unit outlives the SSH session that started it. Counts its starts. */
const SYSTEMD_RUN = `#!/bin/sh
log=/dev/null
while :; do
  case "$1" in
    --unit=*) unit=\${1#--unit=}; shift ;;
    --property=StandardOutput=append:*) log=\${1#--property=StandardOutput=append:}; shift ;;
    --*) shift ;;
    *) break ;;
  esac
done
if [ -f "$FAKE_ROOT/units/$unit" ]; then echo "Failed to start transient service unit: Unit $unit.service already exists." >&2; exit 1; fi
setsid "$@" >> "$log" 2>&1 < /dev/null &
echo $! > "$FAKE_ROOT/units/$unit"
echo "$unit $*" >> "$FAKE_ROOT/starts"
`;

const SYSTEMCTL = `#!/bin/sh
if [ -f "$FAKE_ROOT/systemd-is-down" ]; then echo 'Failed to connect to bus: Connection timed out' >&2; exit 1; fi
verb=$1 unit=$FAKE_ROOT/units/$2
pid=$(cat "$unit" 2>/dev/null)
case "$verb" in
  is-active) case "$(ps -o stat= -p "\${pid:-0}")" in ''|Z*) echo inactive; exit 3 ;; *) echo active ;; esac ;;
  stop) [ -n "$pid" ] && kill -KILL $(ps -o pid= -s "$pid"); exit 0 ;;
esac
`;

/** A directory for PATH with `sudo`, `systemd-run` and `systemctl` that need neither root nor systemd. */
export function installFakeSystemd(root: string): { readonly bin: string } {
  const bin = path.join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(path.join(root, 'units'), { recursive: true });
  for (const [name, text] of Object.entries({ sudo: SUDO, 'systemd-run': SYSTEMD_RUN, systemctl: SYSTEMCTL })) {
    writeFileSync(path.join(bin, name), text);
    chmodSync(path.join(bin, name), 0o755);
  }
  return { bin };
}
