import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from './progress.mjs';

const LOOK_EVERY_MS = 300;
/** Set-up never takes longer. A lock that is older belongs to a dead process whose id another process has now. */
const OLDEST_MS = 40 * 60_000;

/**
 * Does some work while no other set-up works: two runs at a time (demo and test, for example) must not install into one
 * folder.
 * @template T
 * @param {string} file the lock; contains the id of the process that holds it
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  let reported = false;
  while (!tryLock(file)) {
    const holder = holderOf(file);
    if (holder !== undefined && !isAlive(holder)) {
      setAside(file);
      continue;
    }
    if (!reported && holder !== undefined) say(`• Another set-up is running (process ${holder.pid}); waiting for it …`);
    reported = true;
    await delay(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * link() creates the file together with its content, or fails, so that no process reads an empty lock.
 * @param {string} file
 */
function tryLock(file) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, since: Date.now() }));
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** @param {string} file @returns {{ pid: number, since: number } | undefined} */
function holderOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {{ pid: number, since: number }} holder */
function isAlive({ pid, since }) {
  if (Date.now() - since > OLDEST_MS) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** Only one of several waiting processes succeeds in renaming. @param {string} file */
function setAside(file) {
  const aside = `${file}.left-behind.${process.pid}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch {
    // another process was faster
  }
}
