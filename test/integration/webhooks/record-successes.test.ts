import { expect } from 'chai'
import { recordSuccesses } from '../../../indexer/webhooks/record-successes.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  releaseDeliveries,
} from '../../../shared/db/webhooks/daemon/claim-deliveries.ts'
import {
  lockEndpointHealth,
  updateEndpointHealth,
} from '../../../shared/db/webhooks/daemon/endpoint-health.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { ATTEMPT_DELAYS_SECONDS, startWebhookStage, type WebhookStage } from '../../support/webhook-stage.ts'

describe('successes that change nothing about their endpoint', () => {
  let stage: WebhookStage
  let receiver: Receiver
  let webhookId: string

  beforeEach(async () => {
    stage = await startWebhookStage()
    receiver = await startReceiver()
    webhookId = (await stage.addWebhook(receiver.url)).id
  })

  afterEach(async () => {
    await receiver.stop()
    await stage.stop()
  })

  it('are recorded and counted once the endpoint has been judged', async () => {
    const [first] = await claim(1)
    expect(await record([first])).to.deep.equal([null])
    await judge({ isFailing: false })
    expect(await record([first])).to.deep.equal(['delivered'])
    expect(await counted()).to.equal(1)
    expect((await stage.listDeliveries())[0]).to.include({
      status: 'delivered',
      attempts: 1,
      lockedUntil: null,
    })
  })

  it('are left to be judged where the endpoint fails, or owes a recovery', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: true })
    expect(await record([first])).to.deep.equal([null])
    await judge({ isFailing: false, recovery: 'owed' })
    expect(await record([first])).to.deep.equal([null])
    expect(await counted()).to.equal(0)
  })

  it('are left to be judged where more attempts failed than may', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: false })
    const { sql } = stage.database
    await sql`
      insert into endpoint_attempts (webhook_id, hour, finished, failed)
      values (${webhookId}, date_trunc('hour', ${stage.clock.now()}::timestamptz, 'UTC'), 4, 1)`
    expect(await record([first])).to.deep.equal([null])
    await sql`update endpoint_attempts set finished = 5`
    expect(await record([first])).to.deep.equal(['delivered'])
  })

  it('are not recorded under a lease that is lost', async () => {
    const [first, second] = await claim(2)
    await judge({ isFailing: false })
    if (first !== undefined) await releaseDeliveries(stage.sql, [first])
    expect(await record([first, second])).to.deep.equal([null, 'delivered'])
    expect(await counted()).to.equal(1)
  })

  it('wait for a failure that is being judged, and are then left to be judged after it', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: false })
    let recording: Promise<unknown> = Promise.resolve()
    await inTransaction(stage.sql, async (db) => {
      await lockEndpointHealth(db, [webhookId])
      recording = record([first])
      await waitFor(
        async () => (await stage.database.sql`select from pg_locks where not granted`).length > 0,
        {
          what: 'the success to wait',
          timeoutMs: 20_000,
        },
      )
      await updateEndpointHealth(db, [{ webhookId, ratio: 'low', recovery: 'none', isFailing: true }])
    })
    expect(await recording).to.deep.equal([null])
  })

  async function claim(count: number): Promise<readonly ClaimedDelivery[]> {
    for (let n = 0; n < count; n += 1) await stage.appendEvent()
    const now = stage.clock.now()
    const lockedUntil = new Date(now.getTime() + 15_000)
    return claimDeliveries(stage.sql, { slots: [{ webhookId, slots: count }], now, lockedUntil })
  }

  async function record(deliveries: readonly (ClaimedDelivery | undefined)[]) {
    const now = stage.clock.now()
    const outcome = {
      ...{ startedAt: now, finishedAt: now, responseCode: 200, responseExcerpt: 'ok' },
      ...{ error: null, retryAfterMs: null },
    }
    const attempts = deliveries.flatMap((delivery) => (delivery ? [{ delivery, outcome }] : []))
    const recorded = await recordSuccesses(stage.sql, attempts, {
      now,
      attemptDelaysSeconds: ATTEMPT_DELAYS_SECONDS,
    })
    return recorded.map((row) => row?.status ?? null)
  }

  async function judge(health: { readonly isFailing: boolean; readonly recovery?: 'owed' }): Promise<void> {
    await stage.database.sql`
      insert into endpoint_health (webhook_id, recovery, is_failing)
      values (${webhookId}, ${health.recovery ?? 'none'}, ${health.isFailing})
      on conflict (webhook_id) do update set recovery = excluded.recovery, is_failing = excluded.is_failing`
  }

  async function counted(): Promise<number> {
    const [row] = await stage.database.sql<{ finished: number }[]>`
      select coalesce(sum(finished), 0)::int8 as finished from endpoint_attempts`
    return row?.finished ?? 0
  }
})
