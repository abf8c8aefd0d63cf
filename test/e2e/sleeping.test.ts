import { expect } from 'chai'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import {
  type ChargeJson,
  createCharge,
  expectPaidOnce,
  getCharge,
  pay,
  query,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const TIMEOUT_MS = 240_000

describe('a network that sleeps between charges, end to end', function () {
  this.timeout(2 * TIMEOUT_MS)
  let devnet: Devnet
  let paid: ChargeJson

  before(async () => {
    const directory = await temporaryDirectory('e2e-sleeping')
    const settings = { indexer: { NETWORK_SLEEP_AFTER_SECONDS: '5' } }
    devnet = await startDevnet({ directory, program: 'dist', chains: [BASE], graceSeconds: 1, settings })
  })

  after(() => devnet?.stop())

  const isAsleep = () =>
    query(
      devnet,
      async (sql) => (await sql`select from deployments where asleep_since is not null`).length > 0,
    )

  const untilAsleep = () =>
    waitFor(isAsleep, { what: 'the network to sleep', timeoutMs: TIMEOUT_MS, intervalMs: 500 })

  it('confirms and pays out a charge that wakes the network and is paid immediately', async () => {
    await untilAsleep()
    const charge = await createCharge(devnet)
    expect(charge).to.deep.include({ paymentUnavailable: false, unavailablePayments: [] })
    await pay(devnet, { charge })
    paid = await waitUntilSettled(devnet, charge.id)
    await expectPaidOnce(devnet, paid)
  })

  it('loses no payment if the daemon is killed while the network wakes', async () => {
    await untilAsleep()
    const charge = await createCharge(devnet)
    await devnet.indexer.kill()
    await pay(devnet, { charge })
    await devnet.indexer.start()
    await expectPaidOnce(devnet, await waitUntilSettled(devnet, charge.id))
  })

  it('finds a second payment to an old charge in its scheduled comparison with the chain, and pays the payment out', async () => {
    await query(devnet, (sql) => sql`update charges set last_activity_at = now() - interval '26 hours'`)
    await untilAsleep()
    await pay(devnet, { charge: paid })
    await waitFor(
      () =>
        query(
          devnet,
          async (sql) => (await sql`select from charge_comparisons where charge_id = ${paid.id}`).length > 0,
        ),
      {
        what: 'the charge to be scheduled',
        timeoutMs: TIMEOUT_MS,
      },
    )
    expect(await getCharge(devnet, paid.id)).to.include({ amountReceivedExact: '10' })
    await query(devnet, (sql) => sql`update charge_comparisons set due_at = now(), next_at = now()`)
    await waitForCharge(devnet, paid.id, {
      what: 'paid twice',
      holds: ({ amountReceivedExact }) => amountReceivedExact === '20',
    })
    await waitUntilSettled(devnet, paid.id)
  })
})
