import { isSecretName } from '../domain/secret-names.ts';

const PLACE = '***';

/** Patterns that are redacted in every text: kubeadm's bootstrap tokens and certificate keys, passwords in URLs. */
const ALWAYS: readonly { readonly pattern: RegExp; readonly replacement: string }[] = [
  { pattern: /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, replacement: PLACE },
  { pattern: /(--certificate-key[= ]+)[0-9a-f]{64}/g, replacement: `$1${PLACE}` },
  // the first condition keeps the time linear: see USER_INFO of domain/redaction.ts
  { pattern: /((?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s:/@]*:)[^\s/]+@/gi, replacement: `$1${PLACE}@` },
];

/** The values among `variables` that must not appear in logs. */
export function secretVariables(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}

/**
 * Replaces secrets in a text by `***`. A secret of several lines is replaced line by line, because a text is often the
 * tail of a log, which may begin in the middle of the secret. Values under three characters stay: replacing them would
 * hide the whole text.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const pieces = secrets
    .flatMap((secret) => [secret, ...secret.split('\n').filter((line) => line.length >= 8)])
    .filter((piece) => piece.length >= 3)
    .sort((a, b) => b.length - a.length);
  const known = pieces.reduce((rest, piece) => rest.replaceAll(piece, PLACE), text);
  return ALWAYS.reduce((rest, { pattern, replacement }) => rest.replace(pattern, replacement), known);
}
