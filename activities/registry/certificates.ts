import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

/** A key and the certificate of its public half, in PEM. */
interface KeyAndCertificate {
  readonly privateKey: string;
  readonly certificate: string;
}

/** Clocks of clients may be late. */
const BACKDATED_MS = 3_600_000;
const LIFETIME_YEARS = 10;
const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/** Makes a CA that signs certificates of servers, and no other CA. @param commonName shown to people */
export function createAuthority(commonName: string): KeyAndCertificate {
  const { privateKey, publicKey } = createKey();
  const name = nameOf(commonName);
  const certificate = certify({
    publicKey,
    subject: name,
    issuer: { name, privateKey },
    notAfter: inYears(LIFETIME_YEARS),
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdentifier(publicKey))),
    ],
  });
  return { privateKey, certificate };
}

/**
 * Makes a key and a certificate of a TLS server. It is valid as long as its CA.
 * @param names host names and addresses (IPv4, IPv6) under which clients know the server, one or more
 */
export function issueServerCertificate(authority: KeyAndCertificate, names: readonly string[]): KeyAndCertificate {
  const issuer = AsnConvert.parse(new X509Certificate(authority.certificate).raw, Certificate).tbsCertificate;
  const { privateKey, publicKey } = createKey();
  const certificate = certify({
    publicKey,
    subject: nameOf(names[0] ?? ''),
    issuer: { name: issuer.subject, privateKey: authority.privateKey },
    notAfter: issuer.validity.notAfter.getTime(),
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints(), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(generalName))),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdentifier(issuer.subjectPublicKeyInfo)) }),
      ),
    ],
  });
  return { privateKey, certificate };
}

interface CertificateParts {
  readonly publicKey: SubjectPublicKeyInfo;
  readonly subject: Name;
  readonly issuer: { readonly name: Name; readonly privateKey: string };
  readonly notAfter: Date;
  readonly extensions: readonly Extension[];
}

function certify({ publicKey, subject, issuer, notAfter, extensions }: CertificateParts): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const content = new TBSCertificate({
    version: Version.v3,
    serialNumber: bytesOf(serialNumber()),
    signature: algorithm,
    issuer: issuer.name,
    validity: new Validity({ notBefore: new Date(Date.now() - BACKDATED_MS), notAfter }),
    subject,
    subjectPublicKeyInfo: publicKey,
    extensions: new Extensions([...extensions]),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(content)), createPrivateKey(issuer.privateKey));
  const certificate = new Certificate({
    tbsCertificate: content,
    signatureAlgorithm: algorithm,
    signatureValue: bytesOf(signature),
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

function createKey(): { readonly privateKey: string; readonly publicKey: SubjectPublicKeyInfo } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
  };
}

function nameOf(commonName: string): Name {
  const value = new AttributeValue({ utf8String: commonName });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function generalName(name: string): GeneralName {
  return new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name });
}

function extension(extnID: string, value: unknown, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** The SHA-1 of the key's bits (RFC 5280, 4.2.1.2): a name for a key, not a proof. */
function keyIdentifier({ subjectPublicKey }: SubjectPublicKeyInfo): ArrayBuffer {
  return bytesOf(createHash('sha1').update(Buffer.from(subjectPublicKey)).digest());
}

/** A positive number of 127 bits, whose DER has no leading zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function inYears(years: number): Date {
  const date = new Date();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date;
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
