/** Set-up writes to stderr, because the output of a command (`eval "$(npx vnflow env)"`) must not be mixed with it. */
const SAY_AFTER_MS = 2_000;
const SAY_EVERY_MS = 5_000;

/** @param {string} text */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Does some work, and shows the elapsed time once it takes more than two seconds.
 * @template T
 * @param {string} title names the work, as a sentence without the full stop
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(title, work) {
  const start = Date.now();
  const live = process.stderr.isTTY === true;
  const seconds = () => `${((Date.now() - start) / 1000).toFixed(live ? 0 : 1)} s`;
  process.stderr.write(live ? `• ${title} …` : `• ${title} …\n`);
  const tick = () => process.stderr.write(live ? `\r• ${title} … ${seconds()}` : `  … ${seconds()}\n`);
  let timer = setTimeout(function again() {
    tick();
    timer = setTimeout(again, live ? 1_000 : SAY_EVERY_MS);
  }, SAY_AFTER_MS);
  try {
    const result = await work();
    process.stderr.write(live ? `\r✓ ${title} (${seconds()})\n` : `✓ ${title} (${seconds()})\n`);
    return result;
  } catch (error) {
    process.stderr.write(live ? `\r✗ ${title} (${seconds()})\n` : `✗ ${title} (${seconds()})\n`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
