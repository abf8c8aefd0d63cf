import { expect } from 'chai'
import { getHealthWindow } from '../../../indexer/webhooks/health-window.ts'
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
import {
  ATTEMPT_DELAYS_SECONDS,
  createWebhookFixture,
  type WebhookFixture,
} from '../../support/webhook-fixture.ts'

describe('successes that do not change the health of their endpoint', () => {
  let stage: WebhookFixture
  let receiver: Receiver
  let webhookId: string

  beforeEach(async () => {
    stage = await createWebhookFixture()
    receiver = await startReceiver()
    webhookId = (await stage.addWebhook(receiver.url)).id
  })

  afterEach(async () => {
    await receiver.stop()
    await stage.stop()
  })

  it('are recorded and counted, but only if the endpoint has a health record', async () => {
    const [first] = await claim(1)
    expect(await record([first])).to.deep.equal([null])
    await judge({ isFailing: false })
    expect(await record([first])).to.deep.equal(['delivered'])
    expect(await counted()).to.equal(1)
    expect((await stage.listDeliveries())[0]).to.include({
      status: 'delivered',
      attempts: 1,
      leasedUntil: null,
    })
  })

  it('are deferred if the endpoint is failing, or a recovery event is pending', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: true })
    expect(await record([first])).to.deep.equal([null])
    await judge({ isFailing: false, recoveryNotice: 'pending' })
    expect(await record([first])).to.deep.equal([null])
    expect(await counted()).to.equal(0)
  })

  it('are deferred if more than 20 % of the endpoint’s attempts failed', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: false })
    const { sql } = stage.database
    await sql`update endpoint_attempts set finished = 9, failed = 2`
    expect(await record([first])).to.deep.equal([null])
    await sql`update endpoint_attempts set finished = 10`
    expect(await record([first])).to.deep.equal(['delivered'])
  })

  it('are deferred while the endpoint has fewer than five attempts', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: false })
    const { sql } = stage.database
    await sql`update endpoint_attempts set finished = 4`
    expect(await record([first])).to.deep.equal([null])
    await sql`delete from endpoint_attempts`
    expect(await record([first])).to.deep.equal([null])
  })

  it('lock deliveries in the order of their ids and before their endpoints, as the deletion of a webhook does', async () => {
    const [first, second] = await claim(2)
    await judge({ isFailing: false })
    let recording: Promise<unknown> = Promise.resolve()
    await inTransaction(stage.sql, async (db) => {
      await db`select from deliveries where id = ${first?.id ?? 0} for no key update`
      recording = record([second, first])
      await someoneWaits('the successes to wait')
      await db`select from deliveries where id = ${second?.id ?? 0} for no key update nowait`
      await db`select from endpoint_health where webhook_id = ${webhookId} for no key update nowait`
    })
    expect(await recording).to.deep.equal(['delivered', 'delivered'])
  })

  it('are not recorded under a lost lease', async () => {
    const [first, second] = await claim(2)
    await judge({ isFailing: false })
    if (first !== undefined) await releaseDeliveries(stage.sql, [first])
    expect(await record([first, second])).to.deep.equal([null, 'delivered'])
    expect(await counted()).to.equal(1)
  })

  it('are recorded once if an earlier attempt of the delivery has lost its lease', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: false })
    const lost = first && { ...first, leasedUntil: new Date(first.leasedUntil.getTime() - 1) }
    expect(await record([lost, first])).to.deep.equal([null, 'delivered'])
    expect(await counted()).to.equal(1)
  })

  it('wait while a failure is being recorded, and are then deferred', async () => {
    const [first] = await claim(1)
    await judge({ isFailing: false })
    let recording: Promise<unknown> = Promise.resolve()
    await inTransaction(stage.sql, async (db) => {
      await lockEndpointHealth(db, [webhookId])
      recording = record([first])
      await someoneWaits('the success to wait')
      await updateEndpointHealth(db, [
        { webhookId, failureLevel: 'low', recoveryNotice: 'none', isFailing: true },
      ])
    })
    expect(await recording).to.deep.equal([null])
  })

  async function someoneWaits(condition: string): Promise<void> {
    const { sql } = stage.database
    const isWaiting = async () => (await sql`select from pg_locks where not granted`).length > 0
    await waitFor(isWaiting, { what: condition, timeoutMs: 20_000 })
  }

  async function claim(count: number): Promise<readonly ClaimedDelivery[]> {
    for (let n = 0; n < count; n += 1) await stage.appendEvent()
    const now = stage.clock.now()
    const leasedUntil = new Date(now.getTime() + 15_000)
    return claimDeliveries(stage.sql, { slots: [{ webhookId, slots: count }], now, leasedUntil })
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

  async function judge(health: {
    readonly isFailing: boolean
    readonly recoveryNotice?: 'pending'
  }): Promise<void> {
    await stage.database.sql`
      insert into endpoint_health (webhook_id, recovery_notice, is_failing)
      values (${webhookId}, ${health.recoveryNotice ?? 'none'}, ${health.isFailing})
      on conflict (webhook_id) do update set recovery_notice = excluded.recovery_notice, is_failing = excluded.is_failing`
    await stage.database.sql`
      insert into endpoint_attempts (webhook_id, hour, finished, failed)
      values (${webhookId}, ${hourBefore()}, 5, 0) on conflict do nothing`
  }

  function hourBefore(): Date {
    return new Date(getHealthWindow(stage.clock.now()).hour.getTime() - 3_600_000)
  }

  async function counted(): Promise<number> {
    const [row] = await stage.database.sql<{ finished: number }[]>`
      select coalesce(sum(finished), 0)::int8 as finished from endpoint_attempts where hour > ${hourBefore()}`
    return row?.finished ?? 0
  }
})
