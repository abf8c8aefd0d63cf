import { expect } from 'chai'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE, LIVE_CHAINS } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import type { DishonestNode, NodeFault } from '../support/dishonest-node/dishonest-node.ts'
import { LIE_ABOUT_EVERYTHING } from '../support/dishonest-node/every-lie.ts'
import { type FaultyNodes, planFaultyNodes } from '../support/faulty-nodes.ts'
import {
  type ChargeJson,
  createCharge,
  expectPaidOnce,
  expireAt,
  getCharge,
  listDistributions,
  pay,
  USDC_ON_BNB,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const FAULTS: readonly NodeFault[] = [
  { type: 'lies', lie: LIE_ABOUT_EVERYTHING },
  { type: 'dies' },
  { type: 'hangs' },
  { type: 'freezes' },
]

/** Minimum of the setting. After this time, charges of a halted chain expire by the clock. */
const SILENT_MINUTES = 1
const PAST_EVERY_BOUND_MS = (SILENT_MINUTES * 60 + 20) * 1000
const TWO_HOURS = 7_200

describe('faulty nodes, end to end', function () {
  this.timeout(900_000)
  let devnet: Devnet
  /** The nodes of base. */
  let three: FaultyNodes
  /** The nodes of bnb. */
  let two: FaultyNodes

  before(async () => {
    const [, bnb] = LIVE_CHAINS
    if (bnb === undefined) throw new Error('the devnet has no live bnb')
    three = planFaultyNodes(BASE, 3)
    two = planFaultyNodes(bnb, 2)
    devnet = await startDevnet({
      directory: await temporaryDirectory('e2e-faulty-nodes'),
      ...{ program: 'dist', chains: [three.plan, two.plan], graceSeconds: 1 },
      settings: { indexer: { NETWORK_SILENCE_TIMEOUT_MINUTES: String(SILENT_MINUTES) } },
    })
  })

  after(async () => {
    await devnet?.stop()
    await Promise.all([three?.stop(), two?.stop()])
  })

  for (const fault of FAULTS)
    for (const [place, at] of [
      ['first', 0],
      ['last', 2],
    ] as const)
      it(`completes every charge correctly while the ${place} of three nodes ${fault.type}`, async () => {
        await devnet.indexer.stop() // Otherwise, the feed might no longer use the node that fails next.
        await devnet.indexer.start()
        const node = three.nodes[at] as DishonestNode
        const [whole, half, unpaid] = [
          await createCharge(devnet),
          await createCharge(devnet),
          await createCharge(devnet),
        ]
        await node.setFault(fault)
        await pay(devnet, { charge: whole })
        await pay(devnet, { charge: half, amount: '5' })
        const settled = await waitUntilSettled(devnet, whole.id)
        expect(settled).to.deep.include({ status: 'confirmed', amountReceivedExact: '10', isOverpaid: false })
        await untilStatus(half, 'partially_paid')
        await expireAt(devnet, { ids: [half.id, unpaid.id], seconds: nowSeconds() })
        await untilStatus(unpaid, 'expired')
        const underpaid = await waitUntilSettled(devnet, half.id)
        expect(underpaid).to.deep.include({ status: 'underpaid', amountReceivedExact: '5' })
        await expectPaidOnce(devnet, whole)
        expect(await listDistributions(devnet, half)).to.have.length(1)
        await node.setFault(null)
      })

  it('keeps charges pending while one of two nodes is stalled and the other is down, even after every time limit', async () => {
    const [paid, unpaid] = [await createOnBnb(), await createOnBnb()]
    const [first, second] = two.nodes as readonly [DishonestNode, DishonestNode]
    await first.setFault({ type: 'freezes' })
    await second.setFault({ type: 'dies' })
    await pay(devnet, { charge: paid, pair: USDC_ON_BNB })
    const deadline = nowSeconds() + 2n
    await expireAt(devnet, { ids: [paid.id, unpaid.id], seconds: deadline })
    await waitFor(() => Date.now() > Number(deadline) * 1000 + PAST_EVERY_BOUND_MS, {
      ...{ what: 'every time limit to pass', timeoutMs: 2 * PAST_EVERY_BOUND_MS, intervalMs: 1_000 },
    })
    for (const charge of [paid, unpaid])
      expect((await getCharge(devnet, charge.id)).status).to.equal('pending')
    for (const node of two.nodes) await node.setFault(null)
    await untilStatus(unpaid, 'expired')
    expect((await waitUntilSettled(devnet, paid.id)).status).to.equal('confirmed')
  })

  it('keeps a charge pending while two nodes show different times for each block', async () => {
    const unpaid = await createOnBnb()
    const [, second] = two.nodes as readonly [DishonestNode, DishonestNode]
    await second.setFault({ type: 'lies', lie: { shiftTime: () => TWO_HOURS } })
    const deadline = nowSeconds()
    await expireAt(devnet, { ids: [unpaid.id], seconds: deadline })
    await waitFor(() => Date.now() > Number(deadline) * 1000 + PAST_EVERY_BOUND_MS, {
      ...{ what: 'every time limit to pass', timeoutMs: 2 * PAST_EVERY_BOUND_MS, intervalMs: 1_000 },
    })
    expect((await getCharge(devnet, unpaid.id)).status).to.equal('pending')
    await second.setFault(null)
    await untilStatus(unpaid, 'expired')
  })

  function createOnBnb(): Promise<ChargeJson> {
    return createCharge(devnet, { acceptedPayments: [USDC_ON_BNB] })
  }

  function untilStatus({ id }: ChargeJson, status: ChargeJson['status']): Promise<ChargeJson> {
    return waitForCharge(devnet, id, { what: status, holds: (charge) => charge.status === status })
  }
})

function nowSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}
