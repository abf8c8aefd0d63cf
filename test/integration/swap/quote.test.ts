import { expect } from 'chai'
import { hashTypedData } from 'viem'
import { HONEST, lie } from '../../devnet/swap/behaviours.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { call, expectError } from '../../support/call-route.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'
import { randomHex } from '../../support/factories.ts'
import { holdTimeLimit } from '../../support/hold-time-limit.ts'
import { runClient } from '../../support/run-client.ts'
import {
  API_KEY,
  createSwapFixture,
  type SwapFixture,
  TAKER,
  USDC_BASE,
  USDT_BASE,
  USDT_BNB,
} from '../../support/swap-fixture.ts'

const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

const BASE_ALTERNATIVES = ['ETH', 'BTC', 'LINK', 'CBETH'].map((token) => ({ token, network: 'base' }))
const BNB_ALTERNATIVES = ['ETH', 'BNB', 'BTC', 'LINK'].map((token) => ({ token, network: 'bnb' }))

describe('swap-to-pay', function () {
  this.timeout(240_000)
  let stage: SwapFixture

  before(async () => {
    stage = await createSwapFixture()
  })
  after(() => stage.close())

  afterEach(async () => {
    stage.provider.behave(HONEST)
    await stage.api.owner`update pairs set paused_at = null`
  })

  describe('swapAlternatives', () => {
    it('lists the registry’s tokens on each network of the charge, in responses and in the first event', async () => {
      const charge = await stage.createCharge({ acceptedPayments: [USDT_BNB, USDT_BASE, USDC_BASE] })
      const expected = [...BNB_ALTERNATIVES, ...BASE_ALTERNATIVES]
      expect(charge.swapAlternatives).to.deep.equal(expected)
      expect((await read(charge.id)).swapAlternatives).to.deep.equal(expected)
      const { data } = (await call(stage.api, 'GET /v1/charges', { key: stage.key })).body
      expect(data[0].swapAlternatives).to.deep.equal(expected)
      const [event] = await stage.api.owner<{ data: string }[]>`
        select data from events where charge_id = ${charge.id}`
      expect(JSON.parse(event?.data ?? '{}').swapAlternatives).to.deep.equal(expected)
    })

    it('omits a network immediately if all its pairs are paused', async () => {
      const charge = await stage.createCharge({ acceptedPayments: [USDC_BASE, USDT_BASE, USDT_BNB] })
      await stage.api.owner`update pairs set paused_at = now() where network = 'base' and token = 'USDC'`
      expect((await read(charge.id)).swapAlternatives).to.deep.equal([
        ...BASE_ALTERNATIVES,
        ...BNB_ALTERNATIVES,
      ])
      await stage.api.owner`update pairs set paused_at = now() where network = 'base'`
      expect((await read(charge.id)).swapAlternatives).to.deep.equal(BNB_ALTERNATIVES)
    })

    it('omits a network with an outdated head, even for a new charge', async () => {
      await stage.api
        .owner`update deployments set max_head_at = now() - interval '1 day' where network = 'base'`
      const charge = await stage.createCharge({ acceptedPayments: [USDC_BASE, USDT_BNB] })
      await stage.api.owner`update deployments set max_head_at = now() where network = 'base'`
      expect(charge.swapAlternatives).to.deep.equal(BNB_ALTERNATIVES)
    })

    it('is empty for a test charge, and without a provider', async () => {
      const test = await stage.api.issueKey({ environment: 'test' })
      const body = { amount: 10, expiresIn: 600, acceptedPayments: [USDC_BASE] }
      const made = await call(stage.api, 'POST /v1/charges', { key: test.key, body })
      expect(made.body.swapAlternatives).to.deep.equal([])
      const without = await stage.api.startAnother((config) => ({ ...config, swap: null }))
      const { id } = await stage.createCharge()
      const answer = await call(without, `GET /v1/charges/${id}`, { key: stage.key })
      expect(answer.body.swapAlternatives).to.deep.equal([])
      expectError(await stage.quote({ id, at: without }), '503 swap_unavailable')
      await without.stop()
    })

    it('omits chains that the provider’s last response did not list, even while the provider is down', async () => {
      stage.provider.listChains([56, 1])
      const { id } = await stage.createCharge({ acceptedPayments: [USDC_BASE, USDT_BNB] })
      const alternativesAt = async (at: Parameters<typeof call>[0]) =>
        (await call(at, `GET /v1/charges/${id}`, { key: stage.key })).body.swapAlternatives
      const asking = await stage.api.startAnother()
      await waitFor(async () => (await alternativesAt(asking)).length === BNB_ALTERNATIVES.length, {
        ...{ what: 'the provider’s chains to be read', timeoutMs: 60_000 },
      })
      expect(await alternativesAt(asking)).to.deep.equal(BNB_ALTERNATIVES)
      expectError(await stage.quote({ id, at: asking }), '422 token_not_supported', 'inputToken')
      await asking.stop()

      stage.provider.listChains(null)
      const later = await stage.api.startAnother()
      await waitFor(async () => (await alternativesAt(later)).length === BNB_ALTERNATIVES.length, {
        ...{ what: 'the provider’s last response to be read', timeoutMs: 60_000 },
      })
      await later.stop()
      await stage.api.owner`delete from swap_chains`
      const never = await stage.api.startAnother()
      const failuresOf = () => stage.api.errors.filter((line) => line.includes('swap chains')).length
      const failures = failuresOf()
      await waitFor(() => failuresOf() > failures, {
        what: 'a failed request to the provider',
        timeoutMs: 60_000,
      })
      expect(await alternativesAt(never)).to.have.length(8)
      await never.stop()
      stage.provider.listChains([8453, 56])
    })
  })

  describe('a quote', () => {
    it('contains all details of a swap of the native coin', async () => {
      const charge = await stage.createCharge({ amount: 10.5 })
      const asked = stage.provider.asked.length
      const { status, body } = await stage.quote({ id: charge.id })
      expect(status).to.equal(200)
      expect(body).to.deep.include({
        ...{ inputToken: 'ETH', inputNetwork: 'base', outputToken: 'USDC', outputNetwork: 'base' },
        // 10.5 dollars at a price of 3,000 dollars per coin, plus the slippage of one percent.
        ...{ inputAmount: 0.003535, inputAmountExact: '0.003535', outputAmount: 10.5 },
        ...{ outputAmountExact: '10.5', permit2: null, allowanceTarget: null },
        fees: { serviceFee: 0, serviceFeeExact: '0', providerFee: null, providerFeeExact: null },
      })
      expect(body.transaction).to.include({
        to: '0x5E771e5000000000000000000000000000000001',
        value: '3535000000000000',
        gas: '300000',
      })
      expect(body.transaction.data).to.include(charge.address.slice(2).toLowerCase())
      expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(20_000, 30_000)
      expect(Object.fromEntries(stage.provider.asked[asked] ?? [])).to.deep.equal({
        ...{ chainId: '8453', sellToken: NATIVE, buyToken: USDC, buyAmount: '10500000' },
        ...{ taker: TAKER.toLowerCase(), recipient: charge.address.toLowerCase(), slippageBps: '100' },
      })
    })

    it('contains the permit for the payer of an ERC-20 token to sign', async () => {
      const { body } = await stage.quote({ inputToken: 'BTC' })
      expect(body).to.include({ inputAmountExact: '0.00011224', allowanceTarget: PERMIT2 })
      expect(body.transaction.value).to.equal('0')
      const { hash, eip712, type } = body.permit2
      expect(type).to.equal('Permit2')
      expect(eip712.message.permitted.amount).to.equal('11224')
      expect(hashTypedData(eip712)).to.equal(hash)
    })

    it('expires no later than the permit and the charge', async () => {
      const { id } = await stage.createCharge()
      const soon = new Date(Date.now() + 25_000)
      await stage.api.owner`update charges set expires_at = ${soon} where id = ${id}`
      expect((await stage.quote({ id })).body.expiresAt).to.equal(soon.toISOString())
      const soonest = Math.floor(Date.now() / 1000) + 15
      stage.provider.behave(
        lie(({ permit2 }) => {
          if (permit2 === null) return
          permit2.eip712.message.deadline = String(soonest)
          permit2.hash = hashTypedData(permit2.eip712 as never)
        }),
      )
      const { expiresAt } = (await stage.quote({ id, inputToken: 'LINK' })).body
      expect(expiresAt).to.equal(new Date(soonest * 1000).toISOString())
      await stage.api.owner`update charges set expires_at = now() where id = ${id}`
      expectError(await stage.quote({ id }), '409 charge_not_payable')
    })

    it('shows the provider’s own fee', async () => {
      stage.provider.behave(
        lie(({ fees, buyToken }) => {
          fees.zeroExFee = { amount: '15000', token: buyToken, type: 'volume' }
        }),
      )
      const { fees } = (await stage.quote()).body
      expect(fees).to.include({ providerFee: 0.015, providerFeeExact: '0.015' })
    })

    it('buys the amount due, rounded up to the smallest unit of the output token', async () => {
      const { id } = await stage.createCharge({ acceptedPayments: [USDC_BASE, USDT_BNB] })
      await receive(id, '4999999999999999999')
      const { body } = await stage.quote({ id })
      expect(body).to.include({ outputAmount: 5.000001, outputAmountExact: '5.000001' })
    })

    it('buys the amount that the page requests after an unconfirmed partial payment, and is rejected after the rest is detected', async () => {
      const { id } = await stage.createCharge()
      const seen = { chargeId: id, blockNumber: 98, dollars: 4 }
      await insertSeenTransfer(stage.api.owner, { ...seen, txHash: randomHex(32) })
      expect((await stage.quote({ id })).body.outputAmountExact).to.equal('6')
      await insertSeenTransfer(stage.api.owner, { ...seen, dollars: 6, txHash: randomHex(32) })
      expectError(await stage.quote({ id }), '409 charge_not_payable')
    })

    it('buys USDC rather than USDT, or the only token available on the network', async () => {
      const both = await stage.createCharge({ acceptedPayments: [USDT_BASE, USDC_BASE] })
      expect((await stage.quote({ id: both.id })).body.outputToken).to.equal('USDC')
      const one = await stage.createCharge({ acceptedPayments: [USDT_BASE] })
      expect((await stage.quote({ id: one.id })).body.outputToken).to.equal('USDT')
    })

    it('is requested again for the new amount due if a payment is credited in the meantime', async () => {
      const { id } = await stage.createCharge()
      const asked = stage.provider.asked.length
      stage.provider.behave(async (quote) => {
        stage.provider.behave(HONEST)
        await receive(id, '4000000000000000000')
        return HONEST(quote)
      })
      const { status, body } = await stage.quote({ id })
      expect([status, body.outputAmountExact]).to.deep.equal([200, '6'])
      expect(stage.provider.asked.length - asked).to.equal(2)
    })

    it('is rejected if no amount is due after the provider’s response', async () => {
      const { id } = await stage.createCharge()
      stage.provider.behave(async (quote) => {
        await stage.api.owner`update charges set status = 'confirmed', confirmed_at = now() where id = ${id}`
        return HONEST(quote)
      })
      expectError(await stage.quote({ id }), '409 charge_not_payable')
    })

    it('has one timeout of five seconds, including a second request', async () => {
      const { id } = await stage.createCharge()
      const asked = stage.provider.asked.length
      // The timeout of the first request ends during the second.
      const limit = holdTimeLimit(5_000)
      stage.provider.behave(async (quote) => {
        await receive(id, '1000000000000000000')
        if (stage.provider.asked.length - asked === 2) limit.end()
        return HONEST(quote)
      })
      expectError(await stage.quote({ id }).finally(limit.release), '503 swap_quote_failed')
      expect(stage.provider.asked.length - asked).to.equal(2)
    })

    it('fails if payments outdate it three times in a row', async () => {
      const { id } = await stage.createCharge()
      let dollars = 0
      stage.provider.behave(async (quote) => {
        dollars += 1
        await receive(id, `${dollars}000000000000000000`)
        return HONEST(quote)
      })
      expectError(await stage.quote({ id }), '503 swap_quote_failed')
      expect(stage.api.warnings.at(-1)).to.include('was outdated by payments 3 times')
    })

    for (const [inputToken, inputNetwork] of [
      ['AVAX', 'base'],
      ['ETH', 'ethereum'],
      ['BNB', 'tron'],
    ]) {
      it(`is rejected for ${inputToken} on ${inputNetwork}, which is not an alternative`, async () => {
        const asked = stage.provider.asked.length
        const answer = await stage.quote({ inputToken, inputNetwork } as object)
        expectError(answer, '422 token_not_supported', 'inputToken')
        expect(stage.provider.asked).to.have.length(asked)
      })
    }

    it('reports reasons for a rejection in this order: the state of the charge, a pause, the input token', async () => {
      const { id } = await stage.createCharge()
      await stage.api.owner`update pairs set paused_at = now() where network = 'base'`
      expectError(await stage.quote({ id, inputToken: 'AVAX' }), '503 payment_temporarily_unavailable')
      await stage.api.owner`update charges set status = 'expired' where id = ${id}`
      expectError(await stage.quote({ id, inputToken: 'AVAX' }), '409 charge_not_payable')
    })

    it('is limited to ten a minute per charge', async () => {
      const { id } = await stage.createCharge()
      for (let count = 0; count < 10; count += 1) expect((await stage.quote({ id })).status).to.equal(200)
      const asked = stage.provider.asked.length
      expectError(await stage.quote({ id }), '429 rate_limited')
      expect(stage.provider.asked).to.have.length(asked)
    })

    it('is printed by svc charges quote, with all its fields if --json is given', async () => {
      const { id } = await stage.createCharge()
      const svc = (...more: string[]) => {
        const args = ['charges', 'quote', id, '--input', 'LINK@base', '--taker', TAKER, ...more]
        return runClient('svc', args, { SVC_API_URL: stage.api.baseUrl, SVC_API_KEY: stage.key })
      }
      const { stdout, exitCode } = await svc()
      expect(stdout).to.match(/^pays +10 USDC on base, exactly$/m)
      expect(stdout).to.match(/^costs +at most 0\.673333333333333334 LINK; /m)
      expect(exitCode).to.equal(0)
      const { permit2 } = JSON.parse((await svc('--json')).stdout)
      expect(permit2.eip712.primaryType).to.equal('PermitTransferFrom')
    })

    it('never contains our API key', async () => {
      const { text } = await stage.quote()
      expect(text).not.to.include(API_KEY)
    })
  })

  async function read(id: string) {
    return (await call(stage.api, `GET /v1/charges/${id}`, { key: stage.key })).body
  }

  async function receive(id: string, atto: string): Promise<void> {
    await stage.api.owner`
      update charges set status = 'partially_paid', received_atto = ${atto}::numeric, on_time_atto = ${atto}::numeric
      where id = ${id}`
  }
})
