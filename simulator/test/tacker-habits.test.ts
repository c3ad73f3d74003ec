import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from './testing/nodes.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
  cloud.machine('vm-a', '10.10.0.11');
}, 60_000);
afterAll(() => cloud.stop());

const run = async (command: string) => {
  const { code, stdout } = await cloud.ssh('10.10.0.11', command);
  return { code, stdout };
};

/** What install scripts written for Tacker do, and bash and the tools of Ubuntu accept. */
it.each([
  [
    'splits a variable that is the name of a command',
    'restore=$(set +o | grep nounset); $restore; echo done',
    'done\n',
  ],
  ['runs the first word of a variable with the others as arguments', 'say="echo a b"; $say c', 'a b c\n'],
  [
    'finds addresses with a look-behind',
    "ip -4 addr | grep -oP '(?<=inet\\s)\\d+(\\.\\d+){3}' | tail -n 1",
    '10.10.0.11\n',
  ],
  [
    'counts in milliseconds',
    'a=$(date +%s%3N); echo $(($(date +%s%3N) - a < 60000)) $(printf %s "$a" | wc -c)',
    '1 13\n',
  ],
  [
    'unpacks with letters without a dash, each with its own value',
    'mkdir -p in out && echo x > in/f && tar czf a.tgz in && tar Cxzf out a.tgz && tar xzfC a.tgz out && cat out/in/f',
    'x\n',
  ],
  ['copies by force', 'echo x > from; /bin/cp -f from to; cat to', 'x\n'],
  ['traces commands that write bytes', 'set -x; printf abc | openssl dgst -sha256 -binary 2>/dev/null | wc -c', '32\n'],
])('%s', async (_, command, stdout) => {
  expect(await run(command)).toEqual({ code: 0, stdout });
});

it('does not find what no line has', async () => {
  expect(await run("echo abc | grep -P '(?<=x)c'")).toEqual({ code: 1, stdout: '' });
});
