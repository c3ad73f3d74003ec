import { Client, Connection } from '@temporalio/client';

/** The newest run of a workflow in Temporal. */
export interface WorkflowFact {
  readonly isOpen: boolean;
  /** True when the workflow has something to do: an activity that has not ended, or a task of its own. */
  readonly isBusy: boolean;
  /** Search attributes. */
  readonly operation: string;
  readonly state: string;
}

/** Read access to Temporal. */
export interface EngineView {
  /** Reads the workflow of an instance. @returns undefined when there never was one */
  workflowOf(instance: string): Promise<WorkflowFact | undefined>;
  /** Ids of workflows that are open and of schedules that exist and name one of these instances. */
  openOf(instances: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

const LIMIT_MS = 10_000;
const NOT_FOUND = 'WorkflowNotFoundError';

export async function viewEngine(address: string): Promise<EngineView> {
  const connection = await Connection.connect({ address, connectTimeout: LIMIT_MS });
  const client = new Client({ connection });
  const inTime = <T>(work: () => Promise<T>) => connection.withDeadline(Date.now() + LIMIT_MS, work);
  return {
    workflowOf: (instance) =>
      inTime(async () => {
        try {
          const { status, searchAttributes, raw } = await client.workflow.getHandle(`vnf/${instance}`).describe();
          const attribute = (name: string) => String(searchAttributes[name]?.[0] ?? '');
          return {
            isOpen: status.name === 'RUNNING',
            isBusy: (raw.pendingActivities ?? []).length > 0 || raw.pendingWorkflowTask != null,
            operation: attribute('VnfLcmOpOccId'),
            state: attribute('OperationState'),
          };
        } catch (error) {
          if (error instanceof Error && error.name === NOT_FOUND) return undefined;
          throw error;
        }
      }),
    openOf: (instances) =>
      inTime(async () => {
        const found: string[] = [];
        for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus='Running'" }))
          found.push(workflowId);
        for await (const { scheduleId } of client.schedule.list()) found.push(`schedule ${scheduleId}`);
        return found.filter((id) => instances.some((instance) => id.includes(instance)));
      }),
    close: () => connection.close(),
  };
}
