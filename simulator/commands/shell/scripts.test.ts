import { Bash } from 'just-bash';
import { expect, it } from 'vitest';
import { putInPlace, scriptOf } from './scripts.ts';

it('a script that waits for its input still runs when hundreds of others were read meanwhile', async () => {
  const script = scriptOf('echo mine', false);
  for (let other = 0; other < 500; other++) scriptOf(`echo ${other}`, false);
  const bash = new Bash();
  bash.registerTransformPlugin(putInPlace(script));
  expect(await bash.exec(script.stand)).toMatchObject({ stdout: 'mine\n', exitCode: 0 });
});
