import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { promisify } from 'node:util';

/** Real X.509 certificates, so that real tools accept the certificates of a simulated cluster. */

export interface KeyAndCertificate {
  /** The key as PKCS 8 in PEM. */
  readonly privateKey: string;
  /** The certificate in PEM. */
  readonly certificate: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organization?: string;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  readonly days: number;
}

const DAY = 86_400_000;

// -- DER -------------------------------------------------------------------------------------------------------------

function encodeElement(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length =
    body.length < 128
      ? Buffer.from([body.length])
      : body.length < 256
        ? Buffer.from([0x81, body.length])
        : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...content: readonly Buffer[]) => encodeElement(0x30, ...content);
const integer = (bytes: Buffer) =>
  encodeElement(0x02, (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
const oid = (hex: string) => encodeElement(0x06, Buffer.from(hex, 'hex'));
const bitString = (bytes: Buffer) => encodeElement(0x03, Buffer.from([0]), bytes);
const utf8 = (text: string) => encodeElement(0x0c, Buffer.from(text, 'utf8'));
const yes = () => encodeElement(0x01, Buffer.from([0xff]));

function time(at: number): Buffer {
  const text = `${new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
  return encodeElement(0x18, Buffer.from(text, 'ascii'));
}

function name({ commonName, organization }: Pick<CertificateRequest, 'commonName' | 'organization'>): Buffer {
  const attribute = (type: string, value: string) => encodeElement(0x31, sequence(oid(type), utf8(value)));
  return sequence(
    ...(organization === undefined ? [] : [attribute('55040a', organization)]),
    attribute('550403', commonName),
  );
}

function extensions(request: CertificateRequest, isAuthority: boolean): Buffer {
  const extension = (id: string, value: Buffer, critical = false) =>
    sequence(oid(id), ...(critical ? [yes()] : []), encodeElement(0x04, value));
  const names = [
    ...(request.dnsNames ?? []).map((dns) => encodeElement(0x82, Buffer.from(dns, 'ascii'))),
    ...(request.addresses ?? []).map((address) => encodeElement(0x87, Buffer.from(address.split('.').map(Number)))),
  ];
  const usage = isAuthority ? Buffer.from([0x03, 0x02, 0x02, 0xa4]) : Buffer.from([0x03, 0x02, 0x05, 0xa0]);
  const all = [
    extension('551d0f', usage, true),
    extension('551d13', isAuthority ? sequence(yes()) : sequence(), true),
    ...(isAuthority ? [] : [extension('551d25', sequence(oid('2b06010505070301'), oid('2b06010505070302')))]),
    ...(names.length > 0 ? [extension('551d11', sequence(...names))] : []),
  ];
  return encodeElement(0xa3, sequence(...all));
}

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const RSA_SHA256 = sequence(oid('2a864886f70d01010b'), encodeElement(0x05));

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

interface Issuer {
  readonly name: Buffer;
  readonly privateKey: string;
}

function certify(
  request: CertificateRequest,
  publicKey: Buffer,
  { issuer, isAuthority }: { issuer: Issuer; isAuthority: boolean },
): string {
  const key = createPrivateKey(issuer.privateKey);
  const algorithm = key.asymmetricKeyType === 'rsa' ? RSA_SHA256 : ECDSA_SHA256;
  const now = Date.now();
  const toBeSigned = sequence(
    encodeElement(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(7)])),
    algorithm,
    issuer.name,
    sequence(time(now - 300_000), time(now + request.days * DAY)),
    name(request),
    publicKey,
    extensions(request, isAuthority),
  );
  return pem('CERTIFICATE', sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, key))));
}

// -- certificates and keys of a cluster ------------------------------------------------------------------------------

const generateRsa = promisify(generateKeyPair);

/** Creates a certificate authority. That of the cluster has an RSA key, like kubeadm 1.26. */
export async function createAuthority(
  commonName: string,
  kind: 'rsa' | 'ec' = 'ec',
): Promise<KeyAndCertificate & { readonly hash: string }> {
  const pair =
    kind === 'rsa'
      ? await generateRsa('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
  const request = { commonName, days: 3650, dnsNames: [commonName] };
  const certificate = certify(request, spki, { issuer: { name: name(request), privateKey }, isAuthority: true });
  return { privateKey, certificate, hash: createHash('sha256').update(spki).digest('hex') };
}

export function issueCertificate(authority: KeyAndCertificate, request: CertificateRequest): KeyAndCertificate {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const commonName = new X509Certificate(authority.certificate).subject.replace(/^.*CN=/s, '');
  const certificate = certify(request, pair.publicKey.export({ type: 'spki', format: 'der' }), {
    issuer: { name: name({ commonName }), privateKey: authority.privateKey },
    isAuthority: false,
  });
  return { privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate };
}

/** Creates a key pair for service accounts, in PEM. */
export function createServiceAccountKey(): { readonly privateKey: string; readonly publicKey: string } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** Returns the SHA-256 of the public key of a certificate, hexadecimal. */
export function publicKeyHash(certificate: string): string {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}

export function publicKeyPem(certificate: string): string {
  return new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

export function publicKeyDer(publicPem: string): Buffer {
  return createPublicKey(publicPem).export({ type: 'spki', format: 'der' });
}
