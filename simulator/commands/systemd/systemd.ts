import { type CommandTable, ok } from '../shell/command.ts';
import { journalctl } from './journalctl.ts';
import { systemctl } from './systemctl.ts';
import { systemdRun } from './systemd-run.ts';

export const SYSTEMD: CommandTable = {
  systemctl: { run: systemctl },
  'systemd-run': { run: systemdRun },
  journalctl: { run: journalctl },
  loginctl: { run: () => ok('No sessions.\n') },
};
