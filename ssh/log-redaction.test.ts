import { expect, it } from 'vitest';
import { redact } from './log-redaction.ts';

it.each([
  ['http_proxy=http://user:password@proxy:3128', 'http_proxy=http://user:***@proxy:3128'],
  ['http://user:a@b@proxy', 'http://user:***@proxy'],
  ['kubeadm join --token abcdef.0123456789abcdef', 'kubeadm join --token ***'],
])('hides the secret in %s', (text, shown) => {
  expect(redact(text, [])).toBe(shown);
});

it.each(['a.', 'a://', 'a://b:', '\u001b]'])('redacts a log of nothing but %j in linear time', (text) => {
  const since = performance.now();
  redact(text.repeat(100_000), []);
  expect(performance.now() - since).toBeLessThan(1_000);
});
