import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, PROJECT } from './paths.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, repeated?: number }} Count `repeated`: files that passed
 * when they ran again
 */

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
 * What vitest's JSON report says. A file that could not be loaded, and an error outside of any test, count as one
 * failure.
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

/** Rooms of pure functions: no other process can make their tests late. */
const PURE_ROOMS = ['domain', 'planning'];

/** @param {string} file below the project */
const isPure = (file) => PURE_ROOMS.some((room) => file.startsWith(`${room}${path.sep}`));

/**
 * The files that failed, if they are few: they run once more, one by one. Most tests wait for other processes or for
 * sockets, and a machine that is busy with everything else at once can make them late. What fails in a room of pure
 * functions fails for good. The closing line counts the files, so that nobody overlooks a weak test.
 * @param {string | undefined} report
 * @returns {string[]} paths below the project; empty: nothing to try again
 */
export function worthAnotherRun(report) {
  if (report === undefined) return [];
  const files = JSON.parse(report)
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => path.relative(PROJECT, name));
  return files.length <= MOST_FILES_AGAIN && !files.some(isPure) ? files : [];
}

/** @param {Count} count the line that CI reads */
export function closingLine({ passed, failed, skipped, repeated = 0 }) {
  const more = [skipped && `${skipped} skipped`, repeated && `${repeated} test file(s) passed only in a second run`];
  return [`${passed} passed, ${failed} failed`, ...more.filter(Boolean)].join(', ');
}

/** @param {readonly Count[]} counts @returns {Count} */
export function sum(counts) {
  return counts.reduce((total, next) => ({
    passed: total.passed + next.passed,
    failed: total.failed + next.failed,
    skipped: total.skipped + next.skipped,
    repeated: (total.repeated ?? 0) + (next.repeated ?? 0),
  }));
}

/**
 * Runs a tool of node_modules/.bin.
 * @param {string} command @param {readonly string[]} args
 * @param {{ quiet?: boolean }} options `quiet`: the output is returned, not shown
 * @returns {Promise<{ code: number, output: string }>}
 */
function runTool(command, args, { quiet = false } = {}) {
  return new Promise((resolve) => {
    // colours are for terminals; some tools think that CI is one
    const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    const file = path.join(PROJECT, 'node_modules', '.bin', command);
    const child = spawn(file, args, { cwd: PROJECT, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit', env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs all checks side by side. @returns {Promise<Count>} */
async function runChecks() {
  const ends = await Promise.all(
    CHECKS.map(async ({ name, command, args }) => {
      const { code, output } = await runTool(command, args, { quiet: true });
      process.stdout.write(code === 0 ? `✓ ${name}\n` : `${output}✗ ${name}\n`);
      return code === 0;
    }),
  );
  const passed = ends.filter(Boolean).length;
  return { passed, failed: ends.length - passed, skipped: 0 };
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
  const { code } = await runTool('vitest', [
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
  return sum([countTests(without(report, again), 0), { ...second, repeated: again.length }]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const filter = process.argv.slice(2);
  const counts = filter.length === 0 ? [await runChecks(), await runTests([])] : [await runTests(filter)];
  const total = sum(counts);
  process.stdout.write(`\n${closingLine(total)}\n`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}
