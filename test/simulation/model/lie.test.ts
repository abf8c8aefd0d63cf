import { expect } from 'chai'
import { hexToBigInt, keccak256, stringToHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { type Block, blockAt, createChain } from './chain.ts'
import { transfer } from './contracts.ts'
import { createLie } from './lie.ts'
import type { LieKind } from './lie-kinds.ts'
import type { ModelNode } from './model-node.ts'
import { answerRequest } from './node.ts'

const START_MS = Date.parse('2026-11-20T12:00:00.000Z')
const TOKEN_ADDRESS = `0x${'70'.repeat(20)}` as Address
const TOKEN = {
  ...{ address: TOKEN_ADDRESS, decimals: 6, restriction: null, domain: null },
  emitter: { address: TOKEN_ADDRESS, decimals: 6 },
}
const [PAYER, SPLIT] = [`0x${'9a'.repeat(20)}`, `0x${'a1'.repeat(20)}`] as [Address, Address]
const PAYMENT = keccak256(stringToHex('payment'))
const TARGET = { address: SPLIT, splitAddress: SPLIT, amountMicro: 7_000_000n }

describe('the model of a lying node', () => {
  it('adds a payment to a real transaction, in the logs and in the receipt', async () => {
    const node = lyingAbout('adds payments')
    const receipt = (await ask(node, 'eth_getTransactionReceipt', [PAYMENT])) as { logs: Log[] }
    const logs = (await logsOf(node)).filter(({ transactionHash }) => transactionHash === PAYMENT)
    expect(amountsOf(receipt.logs)).to.have.members([10n, 7_000_000n])
    expect(logs.map(({ logIndex }) => logIndex)).to.deep.equal(receipt.logs.map(({ logIndex }) => logIndex))
  })

  it('invents payments, including in blocks without transactions', async () => {
    const invented = (await logsOf(lyingAbout('invents payments'))).filter(
      ({ data }) => hexToBigInt(data) === 7_000_000n,
    )
    expect(invented.map(({ blockNumber }) => blockNumber)).to.include('0x2')
  })

  it('invents distributions by a charge’s split', async () => {
    const logs = await logsOf(lyingAbout('adds distributions'))
    expect(logs.filter(({ address }) => address === SPLIT)).not.to.be.empty
  })

  it('changes the amount of a payment', async () => {
    expect(amountsOf(await logsOf(lyingAbout('shrinks amounts')))).to.deep.equal([1n])
    expect(amountsOf(await logsOf(lyingAbout('enlarges amounts')))).to.deep.equal([10_000n])
  })

  it('changes the sender of a payment', async () => {
    const [log] = await logsOf(lyingAbout('changes senders'))
    expect(log?.topics[1]?.endsWith(PAYER.slice(2))).to.equal(false)
    expect(log?.topics[2]?.endsWith(SPLIT.slice(2))).to.equal(true)
  })

  it('shifts block timestamps by an hour forward or back, and keeps the hashes', async () => {
    const truth = await blockOf(honest(), 1)
    for (const [kind, seconds] of [
      ['dates ahead', 3_600],
      ['dates back', -3_600],
    ] as const) {
      const told = await blockOf(lyingAbout(kind), 1)
      expect(told.hash).to.equal(truth.hash)
      expect(Number(told.timestamp) - Number(truth.timestamp)).to.equal(seconds)
    }
  })

  it('shows wrong block hashes from a given block on, with matching parent hashes', async () => {
    const node = lyingAbout('forks', 2)
    const [first, second, third] = await Promise.all([1, 2, 3].map((at) => blockOf(node, at)))
    const truth = await Promise.all([1, 2].map((at) => blockOf(honest(), at)))
    expect(first?.hash).to.equal(truth[0]?.hash)
    expect(second?.hash).not.to.equal(truth[1]?.hash)
    expect([second?.parentHash, third?.parentHash]).to.deep.equal([first?.hash, second?.hash])
  })

  it('shows more than three invented blocks above the head of the chain', async () => {
    const node = lyingAbout('invents blocks')
    const height = Number(await ask(node, 'eth_blockNumber', []))
    expect(height).to.be.above(CHAIN.tip().number + 3)
    expect((await blockOf(node, height)).hash).to.equal((await blockOf(node, 'latest')).hash)
  })

  it('shows a latest block far above the chain, but returns null for that block number', async () => {
    const node = lyingAbout('claims height')
    const { number, timestamp } = await blockOf(node, 'latest')
    expect(Number(number)).to.be.above(1_000_000)
    expect(Number(timestamp) * 1_000).to.be.above(START_MS + 86_400_000)
    expect(await ask(node, 'eth_getBlockByNumber', [number])).to.equal(null)
  })

  it('reverts a call that an honest node executes', async () => {
    const call = [{ to: SPLIT, data: '0x01' }, 'latest']
    expect(await answerRequest(lyingAbout('reverts calls'), of('eth_call', call), START_MS)).to.have.property(
      'error',
    )
    expect(await answerRequest(honest(), of('eth_call', call), START_MS)).to.have.property('result')
  })

  it('reports a reverted transaction as successful', async () => {
    const receipt = (await ask(lyingAbout('hides reverts'), 'eth_getTransactionReceipt', [REVERTED])) as {
      status: Hex
    }
    expect(receipt.status).to.equal('0x1')
  })

  it('is deterministic, and does not change the chain', () => {
    const before = JSON.stringify(CHAIN.tip().receipts.map(({ logs }) => logs))
    const { lie } = lyingAbout('adds payments')
    expect(lie?.show(CHAIN.tip())).to.equal(lie?.show(CHAIN.tip()))
    expect(blockAt(lie?.show(CHAIN.tip()) as Block, 1)).not.to.equal(blockAt(CHAIN.tip(), 1))
    expect(JSON.stringify(CHAIN.tip().receipts.map(({ logs }) => logs))).to.equal(before)
  })
})

type Log = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly transactionHash: Hex
  readonly blockNumber: Hex
  readonly logIndex: Hex
}

const REVERTED = keccak256(stringToHex('too much'))
const CHAIN = createPaidChain()

/** The first block has a payment of 10 units and a reverted payment; two more blocks are empty. */
function createPaidChain() {
  const random = createRandom(7)
  const chain = createChain({ chainId: 1, confirmations: 3, random, startMs: START_MS, aheadMs: 0 })
  chain.tip().state.balances.set(`${TOKEN.address}/${PAYER}`, 10n)
  for (const [hash, amount] of [
    [PAYMENT, 10n],
    [REVERTED, 99n],
  ] as const)
    chain.send({
      ...{ hash, from: PAYER, nonce: null },
      run: (state) => transfer(state, { token: TOKEN.address, from: PAYER, to: SPLIT, amount }),
    })
  for (const at of [1, 2, 3]) chain.mine(START_MS + at * 2_000)
  return chain
}

function honest(): ModelNode {
  return {
    ...{ url: 'http://node-0.chain-1.example/', chain: CHAIN, tokens: [TOKEN], head: CHAIN.tip() },
    ...{ mode: 'well', lie: null, answered: { second: 0, count: 0 } },
  }
}

function lyingAbout(kind: LieKind, fromNumber = 1): ModelNode {
  const lie = createLie({ kinds: [kind], fromNumber, listTargets: () => [TARGET], tokens: [TOKEN] })
  return { ...honest(), lie }
}

function of(method: string, params: readonly unknown[]) {
  return { method, params }
}

async function ask(node: ModelNode, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await answerRequest(node, of(method, params), START_MS)
  return answer !== null && 'result' in answer ? answer.result : undefined
}

async function logsOf(node: ModelNode): Promise<readonly Log[]> {
  return (await ask(node, 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }])) as Log[]
}

function amountsOf(logs: readonly Log[]): readonly bigint[] {
  return logs.map(({ data }) => hexToBigInt(data))
}

type ShownBlock = {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
}

async function blockOf(node: ModelNode, place: number | 'latest'): Promise<ShownBlock> {
  const name = typeof place === 'number' ? `0x${place.toString(16)}` : place
  return (await ask(node, 'eth_getBlockByNumber', [name])) as ShownBlock
}
