import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'

import { createBalanceReader } from '../../../indexer/reconciliation/balance-reader.ts'
import { createChainNodes } from '../../../indexer/transport/node-heads.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { createLogger } from '../../../shared/runtime/logger.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import type { TronBlock } from '../../devnet/tron/tron-block.ts'
import { mintUsdt, startTronStage, type TronStage } from '../../support/tron-stage.ts'

const USDT = TRON_USDT as Address
const TOKEN = { token: 'USDT', address: USDT, decimals: 6, emitter: USDT, emitterDecimals: 6 } as const
const SPLIT = `0x${'5b'.repeat(20)}` as Address
const CHARGE = {
  ...{ id: 'ch_one', address: SPLIT, splitAddress: SPLIT, environment: 'live' as const, isEscrow: false },
  ...{ acceptedPayments: ['USDT/tron'], createdAt: new Date() },
}

/** A node has the state of its solid block and of its last one; of none between, and of none before. */
describe('the balances of a TRON charge', function () {
  this.timeout(60_000)

  let stage: TronStage
  before(async () => {
    stage = await startTronStage()
    await mintUsdt(stage, SPLIT, 5n)
    for (let blocks = 0; blocks < 20; blocks += 1) await stage.chain.mine()
    await mintUsdt(stage, SPLIT, 7n)
  })
  after(() => stage?.stop())

  const mark = ({ number, timestamp }: TronBlock) => ({ number, timestamp })
  const read = (place: { headNumber?: number; isStanding?: boolean; url?: string } = {}) => {
    const { chain } = stage
    const head = { ...mark(chain.head()), number: place.headNumber ?? chain.head().number }
    const isStanding = place.isStanding ?? false
    const reader = createBalanceReader({
      deployment: { chainId: TRON_CHAIN_ID, network: 'tron', environment: 'live', tokens: [TOKEN] },
      nodes: createChainNodes({ chainId: TRON_CHAIN_ID, rpcUrls: [`${place.url ?? stage.url}/jsonrpc`] }),
      now: () => new Date(),
      log: createLogger({ level: 'silent', service: 'test' }),
    })
    return reader.read([CHARGE], {
      ...{ head, isStanding },
      block: mark(isStanding ? chain.head() : chain.solid()),
    })
  }

  it('are read where nothing is taken back any more, and the block is named', async () => {
    const { block, found, unread } = await read()
    expect(found.map(({ foundAtomic }) => foundAtomic)).to.deep.equal([5n])
    expect(block).to.deep.equal(mark(stage.chain.solid()))
    expect(unread.size).to.equal(0)
  })

  it('are read of the last block while the chain stands still', async () => {
    const { block, found } = await read({ isStanding: true })
    expect(found.map(({ foundAtomic }) => foundAtomic)).to.deep.equal([12n])
    expect(block).to.deep.equal(mark(stage.chain.head()))
  })

  it('are unread while our feed is behind the block at which a node can answer', async () => {
    const { found, unread } = await read({ headNumber: stage.chain.solid().number - 1 })
    expect(found).to.deep.equal([])
    expect([...unread]).to.deep.equal([CHARGE.id])
  })

  it('are unread when the node has moved on while it was asked: of which block they are, nobody knows', async () => {
    const proxy = await startProxy(stage.url, async (path) => {
      if (path.endsWith('triggerconstantcontract')) await stage.chain.mine()
    })
    const { found, unread } = await read({ url: proxy.url })
    proxy.server.close()
    expect(found).to.deep.equal([])
    expect([...unread]).to.deep.equal([CHARGE.id])
  })
})

/** Passes requests on, and does something after each answer. */
async function startProxy(
  target: string,
  afterwards: (path: string) => Promise<void>,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const pass = async () => {
      const body = await text(request)
      const path = request.url ?? '/'
      const answer = await fetch(`${target}${path}`, { method: 'POST', body })
      const answered = await answer.text()
      await afterwards(path)
      response.end(answered)
    }
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
