import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/**
 * Bundled into the workflows of a test that kills workers: a lost one is noticed after two seconds instead of ten, and
 * its steps are repeated at once. The simulated world is quick too; the number of attempts stays as it is.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      scheduleActivity: (input, next) => {
        const { retry, heartbeatTimeout } = input.options;
        const options = {
          ...input.options,
          ...(heartbeatTimeout === undefined
            ? { startToCloseTimeout: '2 seconds' as const }
            : { heartbeatTimeout: '2 seconds' as const }),
          retry: {
            ...retry,
            initialInterval: '100 milliseconds' as const,
            maximumInterval: '500 milliseconds' as const,
          },
        };
        return next({ ...input, options });
      },
    },
  ],
});
