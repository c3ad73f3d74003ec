import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs a program. @returns its standard output @throws Error with the end of its standard error when it fails */
export async function runProgram(program: string, words: readonly string[], input: string): Promise<string> {
  const child = spawn(program, words, { stdio: 'pipe' });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return out;
  throw new Error(`${program} ended with ${code}: ${err.slice(-2000)}`);
}
