import { expect } from 'chai'
import { type EIP1193RequestFn, type Hex, numberToHex, zeroHash } from 'viem'
import { createFilterTransport } from '../../../indexer/transport/filter-transport.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'
import { distributedLog, transferLog } from '../../support/ponder-chain.ts'
import { createPonderFixture, FAKE_USDC, type Stage, USDC } from '../../support/ponder-fixture.ts'

const STRANGER = `0x${'99'.repeat(20)}` as Address

type Log = { readonly transactionHash: Hex }
type Query = { readonly address?: unknown; readonly topics?: readonly unknown[]; readonly blockHash?: Hex }

describe('the transport that Ponder uses to read a chain', function () {
  this.timeout(240_000)

  let stage: Stage
  let request: EIP1193RequestFn
  let asked: Query[]

  before(async () => {
    stage = await createPonderFixture()
  })

  after(() => stage?.close())

  beforeEach(() => {
    request = connect()
    asked = []
    stage.proxy.rule((method, params) => {
      if (method === 'eth_getLogs') asked.push(params[0] as Query)
      return 'pass'
    })
  })

  function connect(settings: { databaseUrl?: string; rpcUrls?: readonly string[] } = {}): EIP1193RequestFn {
    const transport = createFilterTransport({
      ...{ chainId: stage.chain.chainId, family: 'evm', rpcUrls: [stage.proxy.url] },
      ...{ emitters: [USDC], databaseUrl: stage.ponderUrl },
      ...settings,
    })
    return transport({}).request as EIP1193RequestFn
  }

  const call = <Answer>(method: string, ...params: readonly unknown[]) =>
    request({ method, params } as never) as Promise<Answer>

  /** Sends the requests that Ponder sends in real time: the latest block, then the block's logs by its hash. */
  async function latestLogs(): Promise<readonly Hex[]> {
    const block = await call<{ hash: Hex; logsBloom: Hex }>('eth_getBlockByNumber', 'latest', true)
    expect(BigInt(block.logsBloom)).to.equal(0n)
    return hashesOf(await call<readonly Log[]>('eth_getLogs', { blockHash: block.hash }))
  }

  const rangeLogs = async (topic: Hex | readonly Hex[], address?: Address) =>
    hashesOf(
      await call<readonly Log[]>('eth_getLogs', {
        ...(address && { address }),
        ...{ topics: [topic], fromBlock: '0x0', toBlock: numberToHex(await stage.chain.tip()) },
      }),
    )

  it('does not request logs of a block whose bloom filter excludes our tokens and the events of splits', async () => {
    await stage.chain.speak(
      STRANGER,
      [distributedLog({ token: USDC, amount: 1n })].map((log) => ({
        ...log,
        topics: [toTopic(USDC), log.topics[1], log.topics[2]] as const,
      })),
    )
    await stage.chain.mine()
    expect(await latestLogs()).to.deep.equal([])
    expect(asked).to.deep.equal([])
  })

  it('requests only transfers of our tokens, and returns only transfers to our addresses', async () => {
    const charge = await stage.addCharge()
    await stage.chain.speak(FAKE_USDC, [transferLog({ to: charge.address, amount: 1n })])
    await stage.chain.speak(USDC, [transferLog({ to: STRANGER, amount: 1n })])
    const ours = await stage.pay(charge.address, 1n)
    await stage.chain.mine()
    expect(await latestLogs()).to.deep.equal([ours.hash])
    expect(asked.map(({ address, topics }) => ({ address, topics }))).to.deep.equal([
      { address: [USDC], topics: [TRANSFER_TOPIC] },
    ])
  })

  it('retries once if a response is empty although the bloom filter matches, and then fails', async () => {
    const charge = await stage.addCharge()
    const ours = await stage.pay(charge.address, 1n)
    await stage.chain.mine()
    let lies = 1
    stage.proxy.rule((method) => (method === 'eth_getLogs' && lies-- > 0 ? { result: [] } : 'pass'))
    expect(await latestLogs()).to.deep.equal([ours.hash])
    lies = 2
    const failure = await latestLogs().catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Error)
    expect(String(failure)).to.include('whose bloom is not empty')
  })

  it('requests a range in parts of at most 10,000 blocks, and combines their logs', async () => {
    const charge = await stage.addCharge()
    await stage.chain.mine()
    const log = (blockNumber: Hex) => ({
      ...{ address: USDC, blockNumber, logIndex: '0x0', data: numberToHex(1, { size: 32 }) },
      topics: [TRANSFER_TOPIC, toTopic(STRANGER), toTopic(charge.address)],
      transactionHash: zeroHash,
    })
    const ranges: unknown[] = []
    stage.proxy.rule((method, [query]) => {
      if (method !== 'eth_getLogs') return 'pass'
      const { fromBlock, toBlock } = query as { fromBlock: Hex; toBlock: Hex }
      if (Number(toBlock) - Number(fromBlock) >= 10_000) return 'hang'
      ranges.push([Number(fromBlock), Number(toBlock)])
      return { result: [log(fromBlock)] }
    })
    const wide = { topics: [TRANSFER_TOPIC], fromBlock: '0x1', toBlock: numberToHex(20_001) }
    const logs = await call<readonly { blockNumber: Hex }[]>('eth_getLogs', wide)
    expect(ranges).to.deep.equal([
      [1, 10_000],
      [10_001, 20_000],
      [20_001, 20_001],
    ])
    expect(logs.map(({ blockNumber }) => Number(blockNumber))).to.deep.equal([1, 10_001, 20_001])
  })

  it('finds a charge that was committed just before its payment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const charge = await stage.addCharge()
      const ours = await stage.pay(charge.address, 1n)
      await stage.chain.mine()
      expect(await latestLogs()).to.deep.equal([ours.hash])
    }
  })

  it('fails the request if the addresses cannot be read', async () => {
    const charge = await stage.addCharge()
    await stage.pay(charge.address, 1n)
    await stage.chain.mine()
    request = connect({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing' })
    expect(await latestLogs().catch((error: unknown) => error)).to.be.instanceOf(Error)
    expect(await rangeLogs(TRANSFER_TOPIC, USDC).catch((error: unknown) => error)).to.be.instanceOf(Error)
  })

  it('queries the next node if the first node fails', async () => {
    const charge = await stage.addCharge()
    const ours = await stage.pay(charge.address, 1n)
    await stage.chain.mine()
    stage.proxy.rule(() => 'error')
    request = connect({ rpcUrls: [stage.proxy.url, stage.chain.rpcUrl] })
    expect(await latestLogs()).to.deep.equal([ours.hash])
  })

  it('filters a range by our addresses, and returns a release of an escrow to its split only once', async () => {
    await stage.owner`truncate charges cascade`
    const charge = await stage.addCharge()
    const escrow = await stage.addCharge({ escrowReleaser: STRANGER })
    await stage.chain.speak(USDC, [transferLog({ to: STRANGER, amount: 1n })])
    const paid = await stage.pay(charge.address, 1n)
    const released = await stage.chain.speak(USDC, [
      transferLog({ from: escrow.address, to: escrow.split, amount: 1n }),
    ])
    const refunded = await stage.chain.speak(USDC, [
      transferLog({ from: escrow.address, to: STRANGER, amount: 1n }),
    ])
    const distributed = await stage.chain.speak(charge.split, [distributedLog({ token: USDC, amount: 1n })])
    await stage.chain.speak(STRANGER, [distributedLog({ token: USDC, amount: 1n })])
    await stage.chain.mine()
    expect(await rangeLogs(TRANSFER_TOPIC, USDC)).to.have.members([paid.hash, released.hash, refunded.hash])
    expect(asked.map(({ topics }) => topics?.slice(1))).to.deep.include.members([[[toTopic(escrow.address)]]])
    expect(asked.every(({ topics }) => JSON.stringify(topics).includes(escrow.address.slice(2)))).to.equal(
      true,
    )
    expect(await rangeLogs(SPLIT_TOPICS)).to.deep.equal([distributed.hash])
  })

  it('requests a range without an address filter if there are more than 300 addresses, and filters the response itself', async () => {
    await stage.owner`truncate charges cascade`
    const charges = await Promise.all(Array.from({ length: 301 }, () => stage.addCharge()))
    const [first] = charges
    await stage.chain.speak(USDC, [transferLog({ to: STRANGER, amount: 1n })])
    const paid = await stage.pay(first?.address ?? STRANGER, 1n)
    await stage.chain.mine()
    expect(await rangeLogs(TRANSFER_TOPIC, USDC)).to.deep.equal([paid.hash])
    expect(asked.map(({ topics }) => topics)).to.deep.equal([[TRANSFER_TOPIC]])
  })

  it('queries a failing node once per request, and leaves the retry to Ponder', async () => {
    await call('eth_blockNumber')
    let requests = 0
    stage.proxy.rule(() => {
      requests += 1
      return 'error'
    })
    for (let outage = 1; outage <= 5; outage += 1)
      expect(
        await call('eth_getBlockByNumber', 'latest', true).catch((error: unknown) => error),
      ).to.be.instanceOf(Error)
    expect(requests).to.equal(5)
  })

  it('does not request logs of a range while no charge exists', async () => {
    await stage.owner`truncate charges cascade`
    expect(await rangeLogs(TRANSFER_TOPIC, USDC)).to.deep.equal([])
    expect(asked).to.deep.equal([])
  })
})

function hashesOf(logs: readonly Log[]): readonly Hex[] {
  return logs.map(({ transactionHash }) => transactionHash)
}
