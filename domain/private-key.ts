import ssh2 from 'ssh2';

/**
 * What is wrong with a private key for a login over SSH.
 * @param text in a form that the SSH client reads: OpenSSH, PEM (PKCS#1, SEC 1) or PuTTY's version 2
 * @returns a sentence without subject, which never repeats the key. Undefined: nothing
 */
export function privateKeyProblem(text: string): string | undefined {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error)
    return /encrypted/i.test(key.message)
      ? 'is protected by a passphrase; give the key without one (ssh-keygen -p -N "" -f FILE)'
      : 'is no private key that can be read; give the whole text of the file, with its first and last line and all line breaks';
  return key.isPrivateKey() ? undefined : 'is a public key; give the private one';
}
