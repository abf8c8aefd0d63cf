import { expect } from 'chai'
import { type Address, parseAbi, parseEther, parseEventLogs } from 'viem'
import { requireData } from '../../api/client/client.ts'
import { payWithSwap } from '../../api/client/pay-with-swap.ts'
import type { Schema } from '../../api/client/schema.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { asEip1193, createWallet } from '../devnet/swap/as-eip1193.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  type ChargeJson,
  createCharge,
  getCharge,
  pay,
  USDC_ON_BASE,
  USDC_ON_BNB,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'

const ERC20 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
])

/** LINK on base, as in the registry. */
const LINK: Address = '0x88Fb150BDc53A65fe94Dea0c9BA0a6dAf8C6e196'

describe('a charge paid by a swap, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    devnet = (await LIVE_DEVNET.of(import.meta.filename)).devnet
  })

  it('from the native coin is confirmed and settled as if the output token had been sent', async () => {
    const receiver = await startReceiver()
    const api = createApiCaller(devnet.description)
    const { id } = await requireData(api.POST('/v1/webhooks', { body: { url: receiver.url, events: ['*'] } }))
    const charge = await createCharge(devnet, { amount: 25.5 })
    const { wallet, balance } = walletOn('base')
    const before = await balance()
    const { hash, quote, receipt } = await swap(charge, { inputToken: 'ETH', inputNetwork: 'base' })
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled).to.deep.include({
      ...{ status: 'confirmed', amountReceivedExact: '25.5', isOverpaid: false },
      ...{ paidWith: [USDC_ON_BASE], txHash: hash },
    })
    await expectPlainTransfer(charge, { receipt, atomic: 25_500_000n })
    // 25.5 dollars at 3,000 dollars per coin. The same transaction returned the one percent for slippage.
    const gasWei = receipt.gasUsed * receipt.effectiveGasPrice
    expect(before - (await balance()) - gasWei).to.equal(parseEther('0.0085'))
    expect(BigInt(quote.transaction.value)).to.equal(parseEther('0.008585'))
    expect(await wallet.getBalance({ address: quote.transaction.to as Address })).to.equal(
      parseEther('0.0085'),
    )

    const call = api.GET('/v1/charges/{id}/timeline', {
      params: { path: { id: charge.id } },
    })
    const transfers = (await requireData(call)).filter((entry) => 'txHash' in entry && entry.txHash === hash)
    for (const entry of transfers) expect(entry).to.deep.include({ token: 'USDC', network: 'base' })
    expect(transfers).to.not.have.length(0)
    await expectToldLikeRead(receiver, settled)
    await requireData(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } }))
    await receiver.stop()
  })

  it('from an ERC-20 token requires one permanent approval, and one transaction for each payment', async () => {
    for (const transactions of [2, 1]) {
      const charge = await createCharge(devnet, { amount: 30 })
      const { wallet } = walletOn('base')
      const before = await linkOf(payer())
      const nonce = await wallet.getTransactionCount({ address: payer() })
      const { hash, receipt } = await swap(charge, { inputToken: 'LINK', inputNetwork: 'base' })
      expect((await wallet.getTransactionCount({ address: payer() })) - nonce).to.equal(transactions)
      // 30 dollars at 15 dollars per LINK. The amount for slippage was returned to the payer.
      expect(before - (await linkOf(payer()))).to.equal(parseEther('2'))
      await expectPlainTransfer(charge, { receipt, atomic: 30_000_000n })
      const settled = await waitUntilSettled(devnet, charge.id)
      expect(settled).to.deep.include({ status: 'confirmed', paidWith: [USDC_ON_BASE], txHash: hash })
    }
  })

  it('after a partial payment in USDC requires a swap of only the remaining amount', async () => {
    const charge = await createCharge(devnet, { amount: 10 })
    await pay(devnet, { charge, amount: '4.25' })
    await waitForCharge(devnet, charge.id, {
      ...{ what: 'partially paid', holds: ({ status }) => status === 'partially_paid' },
    })
    const { quote, hash } = await swap(charge, { inputToken: 'ETH', inputNetwork: 'base' })
    expect(quote.outputAmountExact).to.equal('5.75')
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled).to.include({ amountReceivedExact: '10', isOverpaid: false, txHash: hash })
  })

  it('into a token with 18 decimals is confirmed', async () => {
    const charge = await createCharge(devnet, { amount: 12.345678, acceptedPayments: [USDC_ON_BNB] })
    const { quote } = await swap(charge, { inputToken: 'BNB', inputNetwork: 'bnb' })
    expect(quote.outputAmountExact).to.equal('12.345678')
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled).to.deep.include({ amountReceivedExact: '12.345678', paidWith: [USDC_ON_BNB] })
  })

  it('with a quote from before a partial payment is overpaid, and shows the whole amount as received', async () => {
    const charge = await createCharge(devnet, { amount: 10 })
    const quote = await quoteOf(charge, { inputToken: 'ETH', inputNetwork: 'base' })
    await pay(devnet, { charge, amount: '3' })
    await waitForCharge(devnet, charge.id, {
      ...{ what: 'partially paid', holds: ({ status }) => status === 'partially_paid' },
    })
    await send(charge, quote)
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled).to.include({ status: 'confirmed', amountReceivedExact: '13', isOverpaid: true })
  })

  it('is rejected by payWithSwap before signing if the quote pays another address or the wallet is on another network', async () => {
    const charge = await createCharge(devnet)
    const quote = await quoteOf(charge, { inputToken: 'ETH', inputNetwork: 'base' })
    const asked: string[] = []
    const { wallet } = walletOn('bnb')
    const spy = {
      request: (call: { method: string; params?: unknown }) => {
        asked.push(call.method)
        return wallet.request(call as never)
      },
    }
    const other = { ...charge, address: payer() }
    const codes = [
      await payWithSwap(spy, { charge: other, quote, taker: payer() }).catch(String),
      await payWithSwap(spy, { charge, quote, taker: payer() }, { chainId: chainIdOf('base') }).catch(String),
    ]
    expect(codes[0]).to.match(/the quote pays 0x.* not the charge's address/)
    expect(codes[1]).to.match(/the wallet is on chain 31338, not 31337/)
    expect(asked).to.deep.equal(['eth_chainId'])
    expect(await getCharge(devnet, charge.id)).to.include({ status: 'pending' })
  })

  type Input = { inputToken: Schema<'SwapQuote'>['inputToken']; inputNetwork: 'base' | 'bnb' }

  function payer(): Address {
    return devnet.description.accounts.payer.address
  }

  function chainIdOf(network: 'base' | 'bnb'): number {
    return devnet.description.networks[network]?.live?.chainId ?? 0
  }

  function walletOn(network: 'base' | 'bnb') {
    const { rpcUrl = '', chainId = 0 } = devnet.description.networks[network]?.live ?? {}
    const wallet = createWallet({ chainId, rpcUrl }, devnet.description.accounts.payer)
    return { wallet, balance: () => wallet.getBalance({ address: payer() }) }
  }

  function linkOf(account: Address): Promise<bigint> {
    const { wallet } = walletOn('base')
    return wallet.readContract({ address: LINK, abi: ERC20, functionName: 'balanceOf', args: [account] })
  }

  function quoteOf(charge: ChargeJson, input: Input) {
    const body = { ...input, takerAddress: payer() }
    const path = { id: charge.id }
    return requireData(
      createApiCaller(devnet.description).POST('/v1/charges/{id}/quote', { params: { path }, body }),
    )
  }

  async function swap(charge: ChargeJson, input: Input) {
    const quote = await quoteOf(charge, input)
    return { quote, ...(await send(charge, quote)) }
  }

  async function send(charge: ChargeJson, quote: Schema<'SwapQuote'>) {
    const network = quote.inputNetwork as 'base' | 'bnb'
    const { wallet } = walletOn(network)
    const chainId = chainIdOf(network)
    const hash = await payWithSwap(asEip1193(wallet), { charge, quote, taker: payer() }, { chainId })
    return { hash, receipt: await requireMined(wallet, hash) }
  }

  /** Verifies that one plain transfer of the output token paid exactly the requested amount. */
  async function expectPlainTransfer(
    charge: ChargeJson,
    { receipt, atomic }: { receipt: Awaited<ReturnType<typeof requireMined>>; atomic: bigint },
  ): Promise<void> {
    const transfers = parseEventLogs({ abi: ERC20, eventName: 'Transfer', logs: receipt.logs })
    const paid = transfers.filter(({ args }) => args.to.toLowerCase() === charge.address.toLowerCase())
    expect(paid.map(({ args }) => args.value)).to.deep.equal([atomic])
  }

  /** Verifies that the daemon's webhooks contain the same `swapAlternatives` as the API's response. */
  async function expectToldLikeRead(
    { requests }: { readonly requests: readonly { readonly body: string }[] },
    charge: ChargeJson,
  ): Promise<void> {
    await waitForCharge(devnet, charge.id, {
      ...{
        what: 'reported as settled',
        holds: () => requests.some(({ body }) => body.includes('charge.settled') && body.includes(charge.id)),
      },
    })
    const told = requests.map(({ body }) => JSON.parse(body) as { event: string; data: ChargeJson })
    const ours = told.filter(({ data }) => data.id === charge.id)
    expect(ours.map(({ event }) => event)).to.include.members(['charge.created', 'charge.confirmed'])
    expect(charge.swapAlternatives).to.have.length(4)
    for (const { data } of ours) expect(data.swapAlternatives).to.deep.equal(charge.swapAlternatives)
  }
})
