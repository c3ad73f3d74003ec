/**
 * SSH host key fingerprints that cloud-init prints on the serial console between its BEGIN and END lines.
 * @returns `SHA256:…` as OpenSSH prints them; empty when the log shows none
 */
export function consoleFingerprints(log: string): string[] {
  const begin = log.lastIndexOf('BEGIN SSH HOST KEY FINGERPRINTS');
  const end = log.indexOf('END SSH HOST KEY FINGERPRINTS', begin);
  if (begin < 0 || end < 0) return [];
  return [...log.slice(begin, end).matchAll(/SHA256:[A-Za-z0-9+/]{43}/g)].map(([fingerprint]) => fingerprint);
}

/**
 * Whether the console will show more: it has output, but not yet the last line of cloud-init (`Cloud-init v. … finished
 * at …`).
 */
export function isStillBooting(log: string): boolean {
  return log.trim() !== '' && !/Cloud-init v\..* finished\b/.test(log);
}
