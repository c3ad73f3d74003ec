import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, PROJECT } from './paths.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Count */

const MOST_FILES_AGAIN = 3;

/** Each counts as one test. */
const CHECKS = [
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'the simulator imports nothing of vnflow', command: 'tsc', args: ['-p', 'simulator'] },
  {
    name: 'lint, format, who imports whom',
    command: 'biome',
    args: ['ci', ...(process.stdout.isTTY ? [] : ['--colors=off']), '.'],
  },
  { name: 'unused code and dependencies', command: 'knip', args: ['--no-progress'] },
  { name: 'production code that only tests use', command: 'knip', args: ['--no-progress', '--production'] },
];

/**
 * What vitest's JSON report says. A file that could not be loaded, and an error outside of any test, count as one failure.
 * @param {string | undefined} report the text; none: vitest died
 * @param {number} exitCode of vitest
 * @returns {Count}
 */
export function countTests(report, exitCode) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const { testResults } = JSON.parse(report);
  const tests = testResults.flatMap((file) => file.assertionResults);
  const broken = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = tests.filter(({ status }) => status === 'failed').length + broken.length;
  const outside = exitCode !== 0 && failed === 0 ? 1 : 0;
  return { passed, failed: failed + outside, skipped: tests.length - passed - (failed - broken.length) };
}

/**
 * Files that failed, when it may have been the machine: all of them are tests of the whole system, and they are few.
 * Those wait for other processes under time limits; what fails anywhere else fails for good.
 * @param {string | undefined} report
 * @returns {string[]} paths below the project; empty: nothing to try again
 */
export function worthAnotherRun(report) {
  if (report === undefined) return [];
  const files = JSON.parse(report)
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => path.relative(PROJECT, name));
  return files.length <= MOST_FILES_AGAIN && files.every((file) => file.startsWith(`test${path.sep}`)) ? files : [];
}

/** @param {Count} count the line that CI reads */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

/** @param {readonly Count[]} counts @returns {Count} */
export function sum(counts) {
  return counts.reduce((total, next) => ({
    passed: total.passed + next.passed,
    failed: total.failed + next.failed,
    skipped: total.skipped + next.skipped,
  }));
}

/** @param {string} command of node_modules/.bin @param {readonly string[]} args @returns {Promise<number>} exit code */
function runTool(command, args) {
  return new Promise((resolve) => {
    // colours are for terminals; some tools think that CI is one
    const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    const file = path.join(PROJECT, 'node_modules', '.bin', command);
    const child = spawn(file, args, { cwd: PROJECT, stdio: 'inherit', env });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** @returns {Promise<Count>} */
async function runChecks() {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, command, args } of CHECKS) {
    const good = (await runTool(command, args)) === 0;
    count[good ? 'passed' : 'failed'] += 1;
    process.stdout.write(`${good ? '✓' : '✗'} ${name}\n`);
  }
  return count;
}

/** @param {string} report @param {readonly string[]} files below the project */
function without(report, files) {
  const { testResults } = JSON.parse(report);
  return JSON.stringify({
    testResults: testResults.filter(({ name }) => !files.includes(path.relative(PROJECT, name))),
  });
}

/** @param {readonly string[]} args of vitest @returns {Promise<{ report: string | undefined, code: number }>} */
async function runVitest(args) {
  const file = path.join(cacheDirectory('setup'), `test-report-${process.pid}.json`);
  const code = await runTool('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...args,
  ]);
  const report = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  rmSync(file, { force: true });
  return { report, code };
}

/** @param {readonly string[]} filter parts of file names; none: all @returns {Promise<Count>} */
async function runTests(filter) {
  const { report, code } = await runVitest(filter);
  const count = countTests(report, code);
  const again = worthAnotherRun(report);
  if (again.length === 0) return count;
  process.stdout.write(`\n• failed: ${again.join(', ')}. Once more, one by one on an otherwise idle machine:\n`);
  const alone = await runVitest(['--no-file-parallelism', ...again]);
  const second = countTests(alone.report, alone.code);
  if (second.failed > 0) return count;
  process.stdout.write(`• passed when run alone, not beside others: ${again.join(', ')}\n`);
  return sum([countTests(without(report, again), 0), second]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const filter = process.argv.slice(2);
  const counts = filter.length === 0 ? [await runChecks(), await runTests([])] : [await runTests(filter)];
  const total = sum(counts);
  process.stdout.write(`\n${closingLine(total)}\n`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}
