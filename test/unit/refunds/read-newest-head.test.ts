import { expect } from 'chai'
import { readNewestHead } from '../../../indexer/refunds/read-newest-head.ts'
import { createNodeHealth } from '../../../shared/chain/nodes/node-health.ts'

const NOW = Date.parse('2026-11-27T12:00:00Z')
const BLOCK_MS = 1_000
const HEAD = 1_000

/** Block numbers that a node returns as its head, one per request. The last is repeated. */
type Shown = readonly number[]

describe('the head when a refund is declared', () => {
  it('is the newest head of any node, once a quorum has reached it', async () => {
    expect(await read([[HEAD], [HEAD - 2, HEAD]], 60_000)).to.equal(HEAD)
  })

  it('is never a head that fewer nodes than a quorum have reached', async () => {
    expect(await read([[HEAD], [HEAD + 100_000]])).to.equal(HEAD)
  })

  it('is not returned if the quorum’s head is old and a single node shows a newer head', async () => {
    const error = await read([[HEAD], [HEAD - 31]]).catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'rpc_unavailable' })
  })

  it('may be 20 s old although a node shows a newer head', async () => {
    expect(await read([[HEAD], [HEAD - 20]])).to.equal(HEAD - 20)
  })
})

function read(nodes: readonly Shown[], headWaitMs = 1): Promise<number> {
  const chain = {
    ...{ quorum: 2, getTrusted: () => null, health: createNodeHealth(), chainId: 1 },
    nodes: nodes.map((shown, at) => ({ name: `n${at}`, operator: `o${at}`, client: clientOf(shown) })),
  }
  const deployment = { chainId: 1, blockTimeMs: BLOCK_MS }
  const chains = [{ chain, deployment }] as never
  return readNewestHead({ chains, now: () => new Date(NOW), headWaitMs }, 1)
}

function clientOf(shown: Shown) {
  let at = 0
  const head = () => {
    const number = shown[Math.min(at, shown.length - 1)] ?? 0
    at += 1
    return number
  }
  const blockAt = (number: number) => ({
    ...{ number: BigInt(number), hash: `0x${number}` },
    timestamp: BigInt((NOW - (HEAD - number) * BLOCK_MS) / 1000),
  })
  return {
    getBlock: async ({ blockNumber }: { readonly blockNumber?: bigint }) =>
      blockAt(blockNumber === undefined ? head() : Number(blockNumber)),
    getBlockNumber: async () => BigInt(head()),
  }
}
