import { X509Certificate } from 'node:crypto';
import type { SimNode } from '../world.ts';

/** Why a client closes a connection, in the words of OpenSSL and of Go. */
export interface TlsProblem {
  readonly openssl: string;
  readonly go: string;
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The authorities that an administrator has added to a machine, `/usr/local/share/ca-certificates` of Ubuntu. */
export function systemAuthorities({ root }: SimNode): readonly string[] {
  const bundle = '/etc/ssl/certs/ca-certificates.crt';
  return root.exists(bundle) ? [root.readText(bundle)] : [];
}

/**
 * Checks the certificate of a server as a client does.
 * @param host name or address, as the client has it
 * @param authorities that the client trusts, in PEM, each with one or more certificates
 * @returns undefined when the client trusts the server
 */
export function tlsProblem(pem: string, host: string, authorities: readonly string[]): TlsProblem | undefined {
  const certificate = new X509Certificate(pem);
  const trusted = authorities
    .flatMap((text) => text.match(CERTIFICATES) ?? [])
    .map((text) => new X509Certificate(text));
  const issuer = trusted.find((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey));
  if (!issuer) {
    return {
      openssl: 'SSL certificate problem: unable to get local issuer certificate',
      go: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    };
  }
  return lifetimeProblem([certificate, issuer]) ?? nameProblem(certificate, host);
}

function lifetimeProblem(chain: readonly X509Certificate[]): TlsProblem | undefined {
  const now = Date.now();
  const one = chain.find(({ validFrom, validTo }) => now < Date.parse(validFrom) || now > Date.parse(validTo));
  if (!one) return undefined;
  const isOver = now > Date.parse(one.validTo);
  const iso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;
  return {
    openssl: `SSL certificate problem: certificate ${isOver ? 'has expired' : 'is not yet valid'}`,
    go: `tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time ${iso(now)} is ${isOver ? 'after' : 'before'} ${iso(Date.parse(isOver ? one.validTo : one.validFrom))}`,
  };
}

function nameProblem(certificate: X509Certificate, host: string): TlsProblem | undefined {
  const isAddress = /^[\d.]+$/.test(host);
  if ((isAddress ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined) return undefined;
  const names = (certificate.subjectAltName ?? '').split(', ');
  const valid = names
    .filter((name) => name.startsWith(isAddress ? 'IP' : 'DNS'))
    .map((name) => name.replace(/^[^:]*:/, ''));
  const sentence =
    valid.length > 0
      ? `certificate is valid for ${valid.join(', ')}, not ${host}`
      : isAddress
        ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
        : `certificate is not valid for any names, but wanted to match ${host}`;
  return {
    openssl: `SSL: no alternative certificate subject name matches target host name '${host}'`,
    go: `tls: failed to verify certificate: x509: ${sentence}`,
  };
}
