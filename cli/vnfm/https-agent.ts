import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';

/** The option of axios for connections with TLS. @param caCert CA certificates in PEM, besides those of Node */
export function httpsAgent(caCert: string | undefined): { httpsAgent?: Agent } {
  return caCert === undefined ? {} : { httpsAgent: new Agent({ ca: [...rootCertificates, caCert] }) };
}
