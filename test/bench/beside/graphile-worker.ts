/**
 * Delivers webhooks with graphile-worker, with the settings that it documents for high rates, and prints the rate.
 *
 *   node test/bench/beside/graphile-worker.ts ARGUMENTS
 *
 * @see https://worker.graphile.org/docs/performance
 */
import { measureQueue, type WebhookJob } from './queue-program.ts'

type GraphileWorker = {
  readonly makeWorkerUtils: (options: object) => Promise<{
    readonly migrate: () => Promise<void>
    readonly addJobs: (jobs: readonly object[]) => Promise<unknown>
    readonly release: () => Promise<void>
  }>
  readonly run: (options: object) => Promise<{ readonly stop: () => Promise<void> }>
  readonly Logger: new (create: () => () => void) => object
}

await measureQueue(async (load, { databaseUrl: connectionString, slots }) => {
  const { makeWorkerUtils, run, Logger } = load('graphile-worker') as GraphileWorker
  const logger = new Logger(() => () => {})
  const utils = await makeWorkerUtils({ connectionString, logger })
  await utils.migrate()
  return {
    insert: async (jobs) => {
      await utils.addJobs(jobs.map((payload) => ({ identifier: 'deliver', payload })))
      await utils.release()
    },
    start: (work) =>
      run({
        ...{ connectionString, logger, noHandleSignals: true, pollInterval: 500, maxPoolSize: 10 },
        preset: {
          worker: {
            concurrentJobs: slots,
            localQueue: { size: slots * 5 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
        taskList: { deliver: (job: WebhookJob) => work(job) },
      }),
  }
})
