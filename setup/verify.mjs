import { spawn } from 'node:child_process';
import path from 'node:path';
import { PROJECT } from './paths.mjs';

/** `npm run verify`: exactly what CI runs. */
spawn('bash', [path.join(PROJECT, '.ci', 'run')], { cwd: PROJECT, stdio: 'inherit' }).on('close', (code) => {
  process.exitCode = code ?? 1;
});
