import { Client, Connection } from '@temporalio/client';

/**
 * The histories and the metadata of all workflows of a Temporal server as one text, in which a test looks for secrets.
 * @param address host and port of the server
 */
export async function readHistories(address: string): Promise<string> {
  const client = new Client({ connection: await Connection.connect({ address }) });
  const texts: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const handle = client.workflow.getHandle(workflowId, runId);
    texts.push(
      JSON.stringify(await handle.fetchHistory(), readPayload),
      JSON.stringify(await handle.query('__temporal_workflow_metadata').catch(() => '')),
    );
  }
  await client.connection.close();
  return texts.join('\n');
}

/** Payloads are bytes: as text they can be searched. */
function readPayload(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
}
