import { allHandlersFinished, condition, defineUpdate, setHandler } from '@temporalio/workflow';

/** The smallest workflow with an update-with-start. The 202 of the API is compared with it. */
export async function bareUpdate(): Promise<void> {
  let done = false;
  setHandler(defineUpdate<void>('bare'), () => {
    done = true;
  });
  await condition(() => done);
  await condition(allHandlersFinished);
}
