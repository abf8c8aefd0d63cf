import { expect } from 'chai'
import { encodeFunctionData, erc20Abi, type Hex, parseUnits } from 'viem'
import { toSigner } from '../devnet/accounts.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { findToken } from '../devnet/send-tokens.ts'
import {
  type ChargeJson,
  createCharge,
  expectPaidOnce,
  getCharge,
  testClient,
  USDC_ON_BASE,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** More than one, so that a block can be reorganized away before its payment is credited. */
const CONFIRMATIONS = 4

describe('a reorganization of the paying block', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    const directory = await temporaryDirectory('e2e-reorganization')
    const options = {
      directory,
      program: 'dist',
      chains: [BASE],
      graceSeconds: 1,
      confirmations: CONFIRMATIONS,
    } as const
    devnet = await startDevnet(options)
    await testClient(devnet).setIntervalMining({ interval: 0 }) // From now on, the test mines the blocks.
  })

  after(() => devnet?.stop())

  it('leaves the charge unpaid if the payment is removed before confirmation depth', async () => {
    const charge = await createCharge(devnet)
    const payment = await signPayment(devnet, { charge, from: 'payer' })
    await sendAndMine(devnet, payment)
    await waitForCharge(devnet, charge.id, { what: 'seen', holds: ({ txHash }) => txHash !== null })
    await reorganize(devnet, { depth: 1, transactions: [] })
    await testClient(devnet).mine({ blocks: CONFIRMATIONS + 2 })
    // The transfer counts as orphaned once the nodes do not show it at confirmation depth.
    const gone = await waitForCharge(devnet, charge.id, {
      what: 'without its payment',
      holds: ({ txHash }) => txHash === null,
    })
    expect(gone).to.deep.include({ status: 'pending', amountReceivedExact: null })
  })

  it('credits the payment once if it moves to another block and another log index', async () => {
    const charge = await createCharge(devnet)
    const payment = await signPayment(devnet, { charge, from: 'payer' })
    const other = await signPayment(devnet, { charge: { address: STRANGER }, from: 'payer2' })
    await testClient(devnet).mine({ blocks: 1 })
    await sendAndMine(devnet, payment)
    await waitForCharge(devnet, charge.id, { what: 'seen', holds: ({ txHash }) => txHash !== null })
    // Moves the payment one block earlier, after another transfer of the token.
    await reorganize(devnet, {
      depth: 2,
      transactions: [
        [other, 0],
        [payment, 0],
      ],
    })
    await testClient(devnet).setIntervalMining({ interval: 1 })
    const settled = await waitUntilSettled(devnet, charge.id)
    expect(settled.amountReceivedExact).to.equal('10')
    await expectPaidOnce(devnet, charge)
    expect(await getCharge(devnet, charge.id)).to.deep.include({ status: 'confirmed', isOverpaid: false })
  })
})

const STRANGER = '0x00000000000000000000000000000000000f00d5'

async function signPayment(
  { description }: Devnet,
  payment: { charge: Pick<ChargeJson, 'address'>; from: 'payer' | 'payer2' },
): Promise<Hex> {
  const { client, token } = findToken(description, USDC_ON_BASE)
  const account = toSigner(description.accounts[payment.from])
  const fees = await client.estimateFeesPerGas()
  return account.signTransaction({
    ...fees,
    chainId: client.chain.id,
    nonce: await client.getTransactionCount({ address: account.address }),
    gas: 100_000n,
    to: token.address,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [payment.charge.address, parseUnits('10', token.decimals)],
    }),
  })
}

async function sendAndMine(devnet: Devnet, serializedTransaction: Hex): Promise<void> {
  const { client } = findToken(devnet.description, USDC_ON_BASE)
  const anvil = testClient(devnet)
  await client.sendRawTransaction({ serializedTransaction })
  await anvil.mine({ blocks: 1 })
}

/** Replaces the last `depth` blocks. The number after each transaction is the index of its new block. */
async function reorganize(
  devnet: Devnet,
  reorg: { depth: number; transactions: readonly (readonly [Hex, number])[] },
): Promise<void> {
  const rpcUrl = devnet.description.networks.base?.live?.rpcUrl ?? ''
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'anvil_reorg',
      params: [reorg.depth, reorg.transactions],
    }),
  })
  expect(await answer.json()).to.not.have.property('error')
}
