/**
 * Delivers webhooks with pg-boss, which fetches and completes jobs in batches, and prints the rate.
 *
 *   node test/bench/beside/pg-boss.ts ARGUMENTS
 *
 * @see https://github.com/timgit/pg-boss/blob/master/docs/readme.md
 */
import { measureQueue, type WebhookJob } from './queue-program.ts'

type Boss = {
  readonly start: () => Promise<unknown>
  readonly stop: (options: object) => Promise<void>
  readonly on: (event: 'error', listener: (error: Error) => void) => void
  readonly createQueue: (name: string) => Promise<void>
  readonly insert: (jobs: readonly object[]) => Promise<unknown>
  readonly work: (
    name: string,
    options: object,
    handler: (jobs: readonly { readonly data: WebhookJob }[]) => Promise<void>,
  ) => Promise<string>
  readonly notifyWorker: (id: string) => void
}

const QUEUE = 'deliver'
/** Number of workers. While one worker completes its batch, the other workers send. */
const WORKERS = 4
const INSERTED_AT_ONCE = 1_000

await measureQueue(async (load, { databaseUrl: connectionString, slots }) => {
  const PgBoss = load('pg-boss') as new (options: object) => Boss
  const boss = new PgBoss({ connectionString, max: 10 })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue(QUEUE)
  return {
    insert: async (jobs) => {
      for (let at = 0; at < jobs.length; at += INSERTED_AT_ONCE)
        await boss.insert(jobs.slice(at, at + INSERTED_AT_ONCE).map((data) => ({ name: QUEUE, data })))
    },
    start: async (work) => {
      for (let worker = 0; worker < WORKERS; worker += 1) {
        const ids: string[] = []
        const options = { batchSize: Math.ceil(slots / WORKERS), pollingIntervalSeconds: 0.5 }
        const id = await boss.work(QUEUE, options, async (jobs) => {
          await Promise.all(jobs.map(({ data }) => work(data)))
          // Otherwise the worker would wait for its next poll.
          ids.forEach((worker) => boss.notifyWorker(worker))
        })
        ids.push(id)
      }
      return { stop: () => boss.stop({ graceful: false }) }
    },
  }
})
