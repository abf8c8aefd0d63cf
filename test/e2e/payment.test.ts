import { expect } from 'chai'
import { type Address, encodeFunctionData, erc20Abi, formatUnits, numberToHex, parseUnits } from 'viem'
import { requireData } from '../../api/client/client.ts'
import { verifyWebhook } from '../../api/client/verify-webhook.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { readQrCode } from '../support/read-qr-code.ts'
import { startReceiver } from '../support/receiver.ts'
import {
  type ChargeJson,
  createCharge,
  getCharge,
  listDistributions,
  pay,
  testClient,
  USDC_ON_BASE,
  USDC_ON_BNB,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { TRANSFER_EVENT } from '../support/transfer-event.ts'

describe('a payment, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    devnet = (await LIVE_DEVNET.of(import.meta.filename)).devnet
  })

  it('is detected, confirmed and paid out to the merchant, once', async () => {
    const charge = await createCharge(devnet)
    const hash = await pay(devnet, { charge })
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled).to.deep.include({
      status: 'confirmed',
      amountReceivedExact: '10',
      isOverpaid: false,
      paidWith: [USDC_ON_BASE],
      txHash: hash,
    })
    // 99 %, plus the unit that rounding leaves.
    expect(await listReceived(devnet, charge)).to.deep.equal([9_900_001n])
    expect(await listDistributions(devnet, charge)).to.have.length(1)
  })

  it('is found by a check of its transaction hash, with its sender', async () => {
    const charge = await createCharge(devnet)
    const txHash = await pay(devnet, { charge })
    const call = createApiCaller(devnet.description).POST('/v1/charges/{id}/check', {
      params: { path: { id: charge.id } },
      body: { txHash, network: 'base' },
    })
    const { address } = devnet.description.accounts.payer
    expect(await requireData(call)).to.deep.include({
      transactionSender: address,
      tokenSenders: [address],
      userOperationSenders: [],
    })
  })

  it('can be made with the QR code of the hosted checkout, which shows the payment after a reload', async () => {
    const { checkoutUrl } = await createCharge(devnet)
    const read = async (): Promise<string> =>
      (await fetch(`${checkoutUrl ?? ''}?token=USDC&network=base&form=link`)).text()
    const unpaid = await read()
    const asked = /address=(0x[0-9a-fA-F]{40})&uint256=(\d+)$/.exec(readQrCode(unpaid))
    const [, address = '', amountAtomic = ''] = asked ?? expect.fail(unpaid)
    await pay(devnet, {
      charge: { address: address as Address },
      amount: formatUnits(BigInt(amountAtomic), 6),
    })
    const paid = await waitFor(
      async () => {
        const page = await read()
        return page.includes('<h1>Paid. Thank you!</h1>') && page
      },
      { what: 'a page that says paid', timeoutMs: 60_000 },
    )
    expect(paid).to.contain('10.00 USD').and.to.contain('USDC on Base').and.not.to.contain(address)
  })

  it('can be simulated in the sandbox, and sends a webhook', async () => {
    const receiver = await startReceiver()
    const api = createApiCaller(devnet.description, 'test')
    const { secret } = await requireData(
      api.POST('/v1/webhooks', { body: { url: receiver.url, events: ['charge.confirmed'] } }),
    )
    const terms = { amount: 10, acceptedPayments: [USDC_ON_BASE], expiresIn: 3600 }
    const { id } = await requireData(api.POST('/v1/charges', { body: terms }))
    const params = { path: { id } }
    const trigger = api.POST('/v1/sandbox/charges/{id}/trigger', {
      params,
      body: { event: 'charge.confirmed' },
    })
    expect(await requireData(trigger)).to.deep.include({ status: 'confirmed', txHash: null })
    const request = await waitFor(() => receiver.requests[0] ?? false, {
      what: 'the webhook',
      timeoutMs: 60_000,
    })
    const { event, data } = verifyWebhook(request, secret)
    expect(event).to.equal('charge.confirmed')
    expect(data).to.deep.include({ id, status: 'confirmed', txHash: null })
    await receiver.stop()
  })

  it('can be split over two tokens with different decimals on two chains', async () => {
    const acceptedPayments = [USDC_ON_BASE, USDC_ON_BNB]
    const charge = await createCharge(devnet, { amount: 99.5, acceptedPayments })
    await pay(devnet, { charge, amount: '49.75' })
    await waitForCharge(devnet, charge.id, {
      what: 'partially paid',
      holds: ({ status }) => status === 'partially_paid',
    })
    await pay(devnet, { charge, amount: '49.75', pair: USDC_ON_BNB })
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled).to.deep.include({ status: 'confirmed', amountReceivedExact: '99.5' })
    expect(await listDistributions(devnet, charge, 'bnb')).to.have.length(1)
  })

  it('is not credited if it uses a pair that the charge does not accept, a zero amount, another address or a fake token', async () => {
    const charge = await createCharge(devnet)
    await pay(devnet, { charge, pair: { token: 'USDT', network: 'base' } })
    await pay(devnet, { charge, amount: '0' })
    await pay(devnet, { charge: { address: '0x00000000000000000000000000000000000f00d5' } })
    await payWithFakeToken(devnet, charge.address)
    // Once a later payment is paid out, all these transfers have been processed.
    const later = await createCharge(devnet)
    await pay(devnet, { charge: later })
    await waitUntilSettled(devnet, later.id)
    expect(await getCharge(devnet, charge.id)).to.deep.include({
      status: 'pending',
      amountReceivedExact: null,
      txHash: null,
    })
  })

  it('is credited once per charge if 40 charges are paid within one block', async function () {
    this.timeout(300_000)
    const charges = await Promise.all(Array.from({ length: 40 }, () => createCharge(devnet, { amount: 1 })))
    const block = await payInOneBlock(
      devnet,
      charges.map(({ address }) => address),
    )
    expect(block).to.equal(40)
    for (const { id } of charges) {
      const confirmed = await waitForCharge(devnet, id, {
        what: 'confirmed',
        holds: ({ status }) => status === 'confirmed',
      })
      expect(confirmed.amountReceivedExact).to.equal('1')
    }
  })
})

/** Lists the merchant's receipts from only this charge, because other charges might be paid out at the same time. */
async function listReceived({ description }: Devnet, { address }: ChargeJson): Promise<readonly bigint[]> {
  const { client, token } = findToken(description, USDC_ON_BASE)
  const args = { from: address, to: description.accounts.merchant.address }
  const logs = await client.getLogs({
    ...{ address: token.address, event: TRANSFER_EVENT, args, fromBlock: 0n, strict: true },
  })
  return logs.map((log) => log.args.value)
}

/** Installs the token's code at an address that is not configured, and transfers zero of these tokens to the charge. */
async function payWithFakeToken(devnet: Devnet, to: Address): Promise<void> {
  const { client, token } = findToken(devnet.description, USDC_ON_BASE)
  const fake = '0x00000000000000000000000000000000005afe00'
  const code = await client.getCode({ address: token.address })
  const anvil = testClient(devnet)
  await anvil.setCode({ address: fake, bytecode: code ?? '0x' })
  // Without balances, a token can only transfer zero. A watcher must not credit this transfer.
  await sendFromPayer(devnet, { to: fake, data: transferData(to, 0n) })
}

async function sendFromPayer(
  devnet: Devnet,
  transaction: { to: Address; data: `0x${string}` },
): Promise<void> {
  const answer = await fetch(devnet.description.networks.base?.live?.rpcUrl ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_sendTransaction',
      params: [
        { from: devnet.description.accounts.payer.address, to: transaction.to, data: transaction.data },
      ],
    }),
  })
  expect(await answer.json()).to.have.property('result')
}

/** Pays a dollar to each address in one block, and returns the block's number of transactions. */
async function payInOneBlock(devnet: Devnet, addresses: readonly Address[]): Promise<number> {
  const { client, token } = findToken(devnet.description, USDC_ON_BASE)
  const anvil = testClient(devnet)
  await anvil.setIntervalMining({ interval: 0 })
  const rpcUrl = devnet.description.networks.base?.live?.rpcUrl ?? ''
  const payer = devnet.description.accounts.payer.address
  const nonce = await client.getTransactionCount({ address: payer })
  const calls = addresses.map((to, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendTransaction',
    params: [
      {
        from: payer,
        nonce: numberToHex(nonce + id), // Anvil processes the calls of a batch in parallel.
        to: token.address,
        data: transferData(to, parseUnits('1', 6)),
        gas: '0x186a0',
      },
    ],
  }))
  const sent = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  })
  const answers = (await sent.json()) as readonly { readonly error?: unknown }[]
  expect(answers.filter(({ error }) => error !== undefined)).to.deep.equal([])
  await anvil.mine({ blocks: 1 })
  const { transactions } = await client.getBlock({ blockTag: 'latest' })
  await anvil.setIntervalMining({ interval: 1 })
  return transactions.length
}

function transferData(to: Address, value: bigint) {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] })
}
