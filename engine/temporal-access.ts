import type { ConnectionOptions } from '@temporalio/client';

/**
 * How to connect to a Temporal server besides its address: TLS, the certificate of this client (mTLS), and the API key
 * of a namespace in Temporal Cloud. Without any of them, the connection is plain text.
 */
export interface TemporalAccess {
  readonly tls?: Extract<ConnectionOptions['tls'], object> | undefined;
  readonly apiKey?: string | undefined;
}

/** The members of a connection's options. The client and the worker of the SDK name them equally. */
export function connectionAccess({ tls, apiKey }: TemporalAccess): {
  tls?: NonNullable<TemporalAccess['tls']>;
  apiKey?: string;
} {
  return { ...(tls === undefined ? {} : { tls }), ...(apiKey === undefined ? {} : { apiKey }) };
}
