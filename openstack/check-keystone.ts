import type { Transport } from './transport.ts';

/**
 * Asks Keystone for its version, which needs no token.
 * @param authUrl for example https://keystone.example:5000/v3
 * @throws Error with a sentence when it does not answer
 */
export async function checkKeystone(authUrl: string, transport: Transport): Promise<void> {
  const answer = await transport({ method: 'GET', url: authUrl, service: 'Keystone', timeoutMs: 2_000 }).catch(() =>
    Promise.reject(new Error('Keystone does not answer.')),
  );
  if (answer.status >= 500) throw new Error(`Keystone answers with status ${answer.status}.`);
}
