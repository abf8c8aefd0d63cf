import { expect } from 'chai'
import { recordAttempts } from '../../../indexer/webhooks/record-attempts.ts'
import { claimDeliveries } from '../../../shared/db/webhooks/daemon/claim-deliveries.ts'
import {
  ATTEMPT_DELAYS_SECONDS,
  createWebhookFixture,
  type WebhookFixture,
} from '../../support/webhook-fixture.ts'

describe('attempts of one delivery that end simultaneously', () => {
  let stage: WebhookFixture

  before(async () => {
    stage = await createWebhookFixture()
  })
  after(() => stage.stop())

  it('are recorded once, without the attempt that has lost its lease', async () => {
    const { id: webhookId } = await stage.addWebhook('https://receiver.example/')
    await stage.appendEvent()
    const now = stage.clock.now()
    const leases = [15_000, 30_000].map((leaseMs) => new Date(now.getTime() + leaseMs))
    const attempts = []
    for (const [round, leasedUntil] of leases.entries()) {
      const at = new Date(now.getTime() + round * 15_000)
      const [lease] = await claimDeliveries(stage.sql, {
        slots: [{ webhookId, slots: 1 }],
        now: at,
        leasedUntil,
      })
      if (lease !== undefined) attempts.push({ lease, outcome: refusedAt(at) })
    }
    const { deliveries } = await recordAttempts(stage.sql, attempts, {
      now,
      attemptDelaysSeconds: ATTEMPT_DELAYS_SECONDS,
    })
    expect(deliveries.map((row) => row?.attempts ?? null)).to.deep.equal([null, 1])
    const counts = await stage.database.sql`select finished, failed from endpoint_attempts`
    expect(counts).to.deep.equal([{ finished: 1, failed: 1 }])
  })
})

function refusedAt(at: Date) {
  return {
    ...{ startedAt: at, finishedAt: at, responseCode: 500, responseExcerpt: 'no' },
    ...{ error: 'answered 500', retryAfterMs: null },
  }
}
