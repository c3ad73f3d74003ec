import { X509Certificate } from 'node:crypto';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What is wrong with the certificates of an authority.
 * @param text in PEM form; may hold several certificates
 * @returns a sentence without subject. Undefined: nothing
 */
export function certificateProblem(text: string, now: Date): string | undefined {
  const parts = text.match(PEM) ?? [];
  if (parts.length === 0) return 'is no certificate in PEM form (-----BEGIN CERTIFICATE-----)';
  for (const part of parts) {
    const certificate = readCertificate(part);
    if (certificate === undefined) return 'is no certificate: its content cannot be read';
    if (Date.parse(certificate.validTo) < now.getTime()) return `expired on ${dayOf(certificate.validTo)}`;
    if (Date.parse(certificate.validFrom) > now.getTime()) return `is not valid before ${dayOf(certificate.validFrom)}`;
  }
  return undefined;
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined; // what stands between the lines is no certificate
  }
}

function dayOf(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}
