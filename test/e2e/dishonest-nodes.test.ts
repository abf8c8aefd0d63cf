import { expect } from 'chai'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE, LIVE_CHAINS } from '../devnet/networks.ts'
import { balanceOf } from '../devnet/send-tokens.ts'
import type { DishonestNode } from '../support/dishonest-node/dishonest-node.ts'
import { type Lies, lieAndPay, type Side } from '../support/dishonest-scenario.ts'
import { type EscrowChargeJson, prepareAndOrder, SETTLED, waitForEscrow } from '../support/escrow-scenario.ts'
import { type FaultyNodes, planFaultyNodes } from '../support/faulty-nodes.ts'
import {
  type ChargeJson,
  expectPaidOnce,
  getCharge,
  pay,
  query,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const UNPAID = { status: 'pending', amountReceivedExact: null, settlementStatus: null }

const isLong = Boolean(process.env['TEST_LONG']) // oxlint-disable-line no-process-env -- the duration is a setting of the run
/** Payments (see `Victims`) that the feed or reconciliation credits once both nodes show them. */
const DISPUTED = ['shrunk', ...(isLong ? (['resent', 'misdated', 'hidden'] as const) : [])] as const

/** Long enough for a lie about a distribution to reach the daemon before our worker pays out. */
const GRACE_SECONDS = 10

describe('two nodes, one of them dishonest, end to end', function () {
  this.timeout(600_000)
  let devnet: Devnet
  let faulty: readonly FaultyNodes[]
  let sides: readonly Side[]
  let victims: ReadonlyMap<Side, Lies>

  before(async () => {
    // The first node of base lies. Only in `npm run test:long`, the second node of bnb lies, too.
    faulty = (isLong ? LIVE_CHAINS : [BASE]).map((plan) => planFaultyNodes(plan, 2))
    const liars = [
      { liar: 'first', pair: { token: 'USDC', network: 'base' } },
      { liar: 'second', pair: { token: 'USDC', network: 'bnb' } },
    ] as const
    sides = faulty.map(({ nodes }, at) => {
      const { liar, pair } = liars[at] as (typeof liars)[number]
      return { liar, pair, node: () => nodes[at] as DishonestNode }
    })
    devnet = await startDevnet({
      directory: await temporaryDirectory('e2e-dishonest-nodes'),
      ...{ program: 'dist', chains: faulty.map(({ plan }) => plan), graceSeconds: GRACE_SECONDS },
    })
    victims = new Map(
      await Promise.all(
        sides.map(async (side) => [side, await lieAndPay(devnet, side, { isThorough: isLong })] as const),
      ),
    )
  })

  after(async () => {
    await devnet?.stop()
    await Promise.all((faulty ?? []).map(({ stop }) => stop()))
  })

  describe('while the dishonest node lies', () => {
    it('pays out, in the first attempt, a payment that both nodes show, although one node reports every call as reverted', () =>
      each(async ({ pair }, { plain }) => {
        await expectPaidOnce(devnet, plain, pair.network)
        expect(await attemptsOf(plain)).to.deep.equal([1])
      }))

    it('does not credit a payment that only one node shows', () =>
      each(async (_, { invented }) => {
        expect(await viewOf(invented)).to.deep.equal(UNPAID)
        expect(await typesOf(invented)).to.deep.equal(['charge.created'])
      }))

    it('responds to a check of an invented payment with 503 rpc_unavailable, and does not credit the payment', () =>
      each(async (side, { invented, txHash }) => {
        expect(await check(side, { charge: invented, txHash })).to.deep.equal({
          status: 503,
          code: 'rpc_unavailable',
        })
        expect(await viewOf(invented)).to.deep.equal(UNPAID)
      }))

    it('does not credit a payment whose amount, sender or time differs between nodes, or that one node hides', () =>
      each(async (_, { shrunk, resent, misdated, hidden }) => {
        // Only `npm run test:long` pays the misdated charge.
        for (const charge of [shrunk, resent, misdated, hidden])
          expect(await viewOf(charge)).to.deep.equal(UNPAID)
      }))

    it('does not settle a charge while its split holds the money', () =>
      each(async ({ pair }, { distributed }) => {
        const { settlementStatus } = await getCharge(devnet, distributed.id)
        const held = await balanceOf(devnet.description, { ...pair, account: distributed.address })
        if (settlementStatus === 'completed') expect(held).to.equal(0n)
        else expect(settlementStatus).to.equal('pending')
      }))

    it('does not show an escrow as released or refunded if one node invents transfers from its Safe', () =>
      each(async (_, { escrow }) => {
        const { settlementStatus, ...charge } = (await getCharge(devnet, escrow.id)) as EscrowChargeJson
        expect(settlementStatus).to.equal(null)
        expect(charge.escrow).to.deep.include({ releasedAt: null, refundedAt: null })
      }))
  })

  describe('once both nodes are honest', () => {
    before(() => Promise.all(sides.map(({ node }) => node().setFault(null))))

    for (const name of DISPUTED)
      it(`credits the full ${name} payment, confirms its charge, and pays it out once`, () =>
        each(async ({ pair }, { [name]: charge }) => {
          const settled = await waitUntilSettled(devnet, charge.id)
          expect(settled).to.deep.include({
            status: 'confirmed',
            amountReceivedExact: '10',
            isOverpaid: false,
          })
          await expectPaidOnce(devnet, charge, pair.network)
        }))

    it('settles the charge of the invented distribution after the real distribution', () =>
      each(async ({ pair }, { distributed }) => {
        await waitUntilSettled(devnet, distributed.id)
        await expectPaidOnce(devnet, distributed, pair.network)
      }))

    it('credits the charge of the invented payment only with a real payment', () =>
      each(async ({ pair }, { invented }) => {
        expect(await viewOf(invented)).to.deep.equal(UNPAID)
        await pay(devnet, { charge: invented, amount: '25000', pair })
        const settled = await waitUntilSettled(devnet, invented.id)
        expect(settled).to.deep.include({ amountReceivedExact: '25000', isOverpaid: false })
        await expectPaidOnce(devnet, invented, pair.network)
      }))

    it('releases the escrow with the releaser’s signature', () =>
      each(async (_, { escrow }) => {
        const { answer } = await prepareAndOrder(devnet, escrow.id, 'release')
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
        const settled = await waitForEscrow(devnet, escrow.id, SETTLED)
        expect(settled.escrow.releasedAt).to.be.a('string')
      }))
  })

  /** Verifies an expectation on every chain in parallel. */
  async function each(expectOf: (side: Side, charges: Lies) => Promise<void>): Promise<void> {
    await Promise.all(
      sides.map(async (side) => {
        const charges = victims.get(side)
        if (charges === undefined) throw new Error('no charges of that chain')
        await expectOf(side, charges).catch((error: unknown) => {
          throw Object.assign(error as Error, {
            message: `the ${side.liar} of two nodes lies: ${(error as Error).message}`,
          })
        })
      }),
    )
  }

  async function viewOf({ id }: ChargeJson) {
    const { status, amountReceivedExact, settlementStatus } = await getCharge(devnet, id)
    return { status, amountReceivedExact, settlementStatus }
  }

  function typesOf({ id }: ChargeJson): Promise<readonly string[]> {
    return query(devnet, async (sql) => {
      const rows = await sql<
        { type: string }[]
      >`select type from events where charge_id = ${id} order by number`
      return rows.map(({ type }) => type)
    })
  }

  function attemptsOf({ id }: ChargeJson): Promise<readonly number[]> {
    return query(devnet, async (sql) => {
      const rows = await sql<{ attempts: number }[]>`select attempts from payouts where charge_id = ${id}`
      return rows.map(({ attempts }) => attempts)
    })
  }

  /** Requests a check by the hash of the transaction in which the dishonest node invents a payment. */
  async function check({ pair }: Side, { charge, txHash }: { charge: ChargeJson; txHash: string }) {
    const { response, error } = await createApiCaller(devnet.description).POST('/v1/charges/{id}/check', {
      params: { path: { id: charge.id } },
      body: { network: pair.network, txHash },
    })
    return { status: response.status, code: error?.error.code }
  }
})
