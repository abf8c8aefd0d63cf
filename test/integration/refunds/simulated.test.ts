import { expect } from 'chai'
import { createRefundWorker } from '../../../indexer/refunds/refund-worker.ts'
import { createLoop, type Loop } from '../../../shared/runtime/poll-loop.ts'
import { call, expectError } from '../../support/call-route.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { runClient } from '../../support/run-client.ts'
import { createSandboxFixture, type SandboxFixture } from '../../support/sandbox-fixture.ts'

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

describe('refunds of simulated payments', function () {
  this.timeout(240_000)
  let sandbox: SandboxFixture
  let loop: Loop
  let key: string

  before(async () => {
    sandbox = await createSandboxFixture()
    ;({ key } = await sandbox.api.issueKey({
      environment: 'test',
      scopes: ['charges:read', 'charges:write', 'refunds:write', 'sandbox:trigger'],
    }))
    const { log } = recordingLog()
    const worker = createRefundWorker({
      ...{ sql: sandbox.daemon, log, now: () => new Date(), onEvents: () => undefined, chains: [] },
      ...{ checkoutBaseUrl: null, swapProvider: null, apiRequestId: null },
      ...{ check: () => Promise.resolve(), minimumPayoutOf: () => 0n as never, onFree: () => undefined },
    })
    loop = createLoop({ name: 'refunds', intervalMs: 20, turn: worker.turn, log })
    loop.start()
  })
  after(async () => {
    await loop.stop()
    await sandbox.stop()
  })

  it('are confirmed by a trigger, which sends the event and updates the sums and the books', async () => {
    const id = await payCharge()
    const { body: refund } = await declare(id, { amount: '12.5' })
    expect(refund).to.include({ simulated: true, payment: null, amountExact: '12.5' })
    const { body: charge } = await sandbox.trigger(id, { event: 'charge.refunded' })
    expect(charge).to.deep.include({
      ...{ status: 'confirmed', settlementStatus: 'completed', amountReceivedExact: '15' },
      ...{ amountRefunded: 12.5, amountRefundedExact: '12.5' },
    })
    expect(charge.refunds[0]).to.include({ id: refund.id, status: 'confirmed', txHash: null })
    expect((await sandbox.read(id)).body.refundable).to.deep.equal([
      { token: 'USDC', network: 'base', amount: 2.5, amountExact: '2.5' },
    ])
    expect((await sandbox.eventsOf(id)).at(-1)).to.equal('charge.refunded')
    const { body: books } = await call(sandbox.api, `GET /v1/charges/${id}/accounting`, { key })
    expect(books).to.include({ walletRefundedExact: '12.5', refundedExact: '12.5', receivedExact: '15' })
    const [entry] = await sandbox.api.owner<
      { decimals: number; legs: { account: string; amount: string }[] }[]
    >`
      select decimals, legs from accounting_entries where charge_id = ${id} and category = 'refund'`
    // The payer was owed the excess of 5 dollars. The other 7.5 dollars were revenue.
    expect(
      entry?.legs.map(({ account, amount }) => [account, Number(amount) / 10 ** (entry?.decimals ?? 0)]),
    ).to.deep.equal([
      ['liability', 5],
      ['refunds', 7.5],
      ['wallet', -12.5],
    ])
    const { body: timeline } = await call(sandbox.api, `GET /v1/charges/${id}/timeline`, { key })
    expect(timeline.at(-1)).to.deep.include({ type: 'refund.confirmed', refundId: refund.id, txHash: null })
  })

  it('cannot be confirmed by a trigger before they are declared, nor canceled after they are confirmed', async () => {
    const id = await payCharge()
    expectError(await sandbox.trigger(id, { event: 'charge.refunded' }), '422 invalid_trigger_state')
    const { body: refund } = await declare(id, { amount: '1' })
    await sandbox.trigger(id, { event: 'charge.refunded' })
    const canceled = await call(sandbox.api, `POST /v1/refunds/${refund.id}/cancel`, { key })
    expectError(canceled, '409 refund_already_seen')
  })

  it('can be declared with svc charges refund', async () => {
    const id = await payCharge()
    const env = { SVC_API_URL: sandbox.api.baseUrl, SVC_API_KEY: key }
    const args = ['charges', 'refund', id, '--amount', 'overpayment', '--to', PAYER]
    const { stdout, exitCode } = await runClient('svc', args, env)
    expect(exitCode).to.equal(0)
    expect(stdout).to.include('5 USDC on base').and.to.include(PAYER)
    const { body: refunds } = await call(sandbox.api, `GET /v1/charges/${id}/refunds`, { key })
    expect(refunds.map(({ amountExact }: { amountExact: string }) => amountExact)).to.deep.equal(['5'])
  })

  /** Creates a charge of 10 dollars that was paid with 15 and settled. */
  async function payCharge(): Promise<string> {
    const { body } = await sandbox.create()
    for (const event of ['charge.overpaid', 'charge.settled']) await sandbox.trigger(body.id, { event })
    return body.id
  }

  const declare = (id: string, change: object) =>
    call(sandbox.api, `POST /v1/charges/${id}/refunds`, {
      key,
      body: {
        destination: { address: PAYER },
        idempotencyKey: `key of ${id}`.replaceAll(' ', '-'),
        ...change,
      },
    })
})
