import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { privateKeyProblem } from './private-key.ts';

let pair = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
// ssh2 writes a key now and then that it cannot read
while (privateKeyProblem(pair.private)) pair = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
const locked = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256, passphrase: 'canary', cipher: 'aes256-cbc' });
const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

it.each([
  ['a key as ssh-keygen makes it', pair.private],
  ['with line ends of Windows', pair.private.replaceAll('\n', '\r\n')],
  ['a PEM key', rsa.privateKey],
])('takes %s', (_, key) => expect(privateKeyProblem(key)).toBeUndefined());

it.each([
  ['a key with a passphrase', locked.private, /^is protected by a passphrase/],
  ['a public key', pair.public, /^is a public key/],
  ['a key without its line breaks', pair.private.replaceAll('\n', ' '), /^is no private key/],
  ['half of a key', pair.private.slice(0, 120), /^is no private key/],
  ['the path of a file', '/home/somebody/canary/.ssh/a-key-of-mine/id_ed25519-of-the-node.key', /^is no private key/],
])('refuses %s, without repeating it', (_, key, sentence) => {
  const problem = privateKeyProblem(key) ?? '';
  expect(problem).toMatch(sentence);
  expect(problem).not.toContain(key.slice(-60, -40));
});
