import { allHandlersFinished, condition, defineUpdate, setHandler } from '@temporalio/workflow';

/** The least that an update-with-start can be: what the API's 202 is measured against. */
export async function bareUpdate(): Promise<void> {
  let done = false;
  setHandler(defineUpdate<void>('bare'), () => {
    done = true;
  });
  await condition(() => done);
  await condition(allHandlersFinished);
}
