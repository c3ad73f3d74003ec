import type { CommandTable } from '../shell/command.ts';
import { IDENTITY } from './identity.ts';
import { PROCESSES } from './processes.ts';
import { SHELLS } from './shells.ts';
import { SYSTEMD } from './systemd.ts';

/** All commands that the simulator knows besides just-bash's own. They exist on a machine where their executable is. */
export const COMMANDS: CommandTable = { ...SHELLS, ...PROCESSES, ...IDENTITY, ...SYSTEMD };
