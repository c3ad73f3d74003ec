import { Connection } from '@temporalio/client';
import axios from 'axios';

/** Does a Temporal server with its namespace serve at this address? */
export async function isTemporalServing(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 }).catch(() => undefined);
  if (!connection) return false;
  try {
    await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** Does the API report that it is healthy? */
export async function isApiServing(url: string): Promise<boolean> {
  const answer = await axios
    .get(`${url}/vnflow/v1/health`, { timeout: 2_000, proxy: false, validateStatus: () => true })
    .catch(() => undefined);
  return answer?.status === 200;
}

/** Does the simulator answer? @param url of the simulator */
export async function isSimulatorServing(url: string): Promise<boolean> {
  const answer = await axios
    .get(`${url}/_simulator/health`, { timeout: 2_000, proxy: false, validateStatus: () => true })
    .catch(() => undefined);
  return answer?.status === 200;
}
