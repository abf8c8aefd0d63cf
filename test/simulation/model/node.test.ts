import { expect } from 'chai'
import { keccak256, stringToHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { createChain } from './chain.ts'
import { transfer } from './contracts.ts'
import type { ModelNode, NodeMode } from './model-node.ts'
import { answerRequest } from './node.ts'

const START_MS = Date.parse('2026-11-20T12:00:00.000Z')
const TOKEN = `0x${'70'.repeat(20)}` as Address
const [PAYER, PAYEE] = [`0x${'9a'.repeat(20)}`, `0x${'a1'.repeat(20)}`] as [Address, Address]
/** Enough for each node to show some and omit others. */
const PAYMENTS = 12

describe('the model of a node', () => {
  it('shows all transfers of its chain, or none in mode omitting', async () => {
    const chain = newChain()
    expect(await hashesOf(nodeOf(chain, { index: 0, mode: 'well' }))).to.have.length(PAYMENTS)
    expect(await hashesOf(nodeOf(chain, { index: 0, mode: 'omitting' }))).to.deep.equal([])
  })

  it('shows some transactions of a block, and a second node with the same fault shows the others', async () => {
    const chain = newChain()
    const [one, other] = await Promise.all(
      [0, 1].map((index) => hashesOf(nodeOf(chain, { index, mode: 'partial' }))),
    )
    expect(one).not.to.deep.equal([])
    expect(other).not.to.deep.equal([])
    expect([...(one ?? []), ...(other ?? [])]).to.have.members(chainHashes(chain))
  })

  it('shows some logs of a transaction, and a second node with the same fault shows the others', async () => {
    const chain = newChain(2)
    const [one = [], other = []] = await Promise.all(
      [0, 1].map((index) => hashesOf(nodeOf(chain, { index, mode: 'gappy' }))),
    )
    expect([...one, ...other]).to.have.members(chainHashes(chain).flatMap((hash) => [hash, hash]))
    expect(chainHashes(chain).filter((hash) => one.includes(hash) && other.includes(hash))).not.to.be.empty
  })

  it('omits the receipt of an omitted transaction', async () => {
    const chain = newChain()
    const node = nodeOf(chain, { index: 0, mode: 'partial' })
    const shown = await hashesOf(node)
    for (const hash of chainHashes(chain)) {
      const answer = await ask(node, 'eth_getTransactionReceipt', [hash])
      expect(answer === null).to.equal(!shown.includes(hash))
    }
  })

  it('reports another chain id, a greater height and no logs if it serves another chain', async () => {
    const node = nodeOf(newChain(), { index: 0, mode: 'foreign' })
    expect(await ask(node, 'eth_chainId', [])).not.to.equal('0x1')
    expect(Number(await ask(node, 'eth_blockNumber', []))).to.be.above(1_000_000)
    expect(await hashesOf(node)).to.deep.equal([])
  })
})

type Chain = ReturnType<typeof createChain>

/** Creates a chain with one block of payments, each with this number of transfers. */
function newChain(transfers = 1): Chain {
  const chain = createChain({
    ...{ chainId: 1, confirmations: 3, random: createRandom(7), startMs: START_MS, aheadMs: 0 },
  })
  chain.tip().state.balances.set(`${TOKEN}/${PAYER}`, 1_000n)
  for (let payment = 0; payment < PAYMENTS; payment += 1)
    chain.send({
      ...{ hash: keccak256(stringToHex(`payment ${payment}`)), from: PAYER, nonce: null },
      run: (state) =>
        Array.from({ length: transfers }, () =>
          transfer(state, { token: TOKEN, from: PAYER, to: PAYEE, amount: 1n }),
        ).flat(),
    })
  chain.mine(START_MS + 2_000)
  return chain
}

function chainHashes(chain: Chain): readonly Hex[] {
  return chain.tip().receipts.map(({ transaction }) => transaction.hash)
}

function nodeOf(chain: Chain, { index, mode }: { index: number; mode: NodeMode }): ModelNode {
  const url = `http://node-${index}.chain-1.example/`
  return { url, chain, tokens: [], head: chain.tip(), mode, lie: null, answered: { second: 0, count: 0 } }
}

async function ask(node: ModelNode, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = await answerRequest(node, { method, params }, START_MS)
  return answer !== null && 'result' in answer ? answer.result : undefined
}

async function hashesOf(node: ModelNode): Promise<readonly Hex[]> {
  const filter = { fromBlock: '0x0', toBlock: '0x1', topics: [TRANSFER_TOPIC] }
  const logs = (await ask(node, 'eth_getLogs', [filter])) as { transactionHash: Hex }[]
  return logs.map(({ transactionHash }) => transactionHash)
}
