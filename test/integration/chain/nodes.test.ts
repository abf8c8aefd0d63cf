import { expect } from 'chai'
import { type EIP1193RequestFn, encodeErrorResult, parseAbi, toHex } from 'viem'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { createFallbackTransport } from '../../../shared/chain/nodes/fallback-transport.ts'
import { nodeTransport } from '../../../shared/chain/nodes/node-transport.ts'
import type { ChainIdCheck } from '../../../shared/chain/nodes/verify-chain-id.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const OURS = 8453
const OTHER = 10

/** Makes a node respond to eth_chainId with `chainId`, and to every other call with `fate`. */
function serve(node: RpcProxy, chainId: number, fate: RpcFate = { result: '0x1' }): string[] {
  const calls: string[] = []
  node.rule((method) => {
    calls.push(method)
    return method === 'eth_chainId' ? { result: toHex(chainId) } : fate
  })
  return calls
}

const RECEIPT = {
  ...{ transactionHash: '0x1', blockHash: '0x1', blockNumber: '0x1', status: '0x1', from: '0x1', logs: [] },
}

describe('a client of the nodes of a chain', () => {
  let a: RpcProxy
  let b: RpcProxy

  before(async () => {
    a = await startRpcProxy('http://127.0.0.1:9', '/first')
    b = await startRpcProxy('http://127.0.0.1:9', '/second')
  })

  after(() => Promise.all([a, b].map((node) => node?.stop())))

  const client = (onVerdict?: (verdict: ChainIdCheck) => void) =>
    createChainClient({ chainId: OURS, rpcUrls: [a.url, b.url] }, { onVerdict })

  const head = (from = client()) => from.getBlockNumber({ cacheTime: 0 })

  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('the request did not fail'),
      (error: unknown) => error as Error & { details?: string; data?: unknown },
    )

  describe('when one node serves another chain', () => {
    it('never uses the responses of that node, whether it is queried first or last', async () => {
      serve(a, OTHER, { result: '0xffffff' })
      serve(b, OURS, { result: '0x7' })
      expect(await head()).to.equal(7n)
      serve(a, OURS, 'error')
      serve(b, OTHER, { result: '0xffffff' })
      expect(String(await failureOf(head()))).to.include('HTTP request failed')
    })

    it('requests only the chain id of that node', async () => {
      const calls = serve(a, OTHER)
      serve(b, OURS)
      await head()
      expect(calls).to.deep.equal(['eth_chainId'])
    })

    it('reports that node, without the key in its URL, if no other node is left', async () => {
      const secret = createChainClient({ chainId: OURS, rpcUrls: [`${a.url}/key`] })
      serve(a, OTHER)
      const { message } = await failureOf(head(secret))
      expect(message)
        .to.include(`${new URL(a.url).host} serves chain ${OTHER}, not ${OURS}`)
        .and.not.include('/key')
    })

    it('reports the chain id that each queried node returned, at each read', async () => {
      const verdicts: ChainIdCheck[] = []
      serve(a, OTHER)
      serve(b, OURS)
      await head(client((verdict) => verdicts.push(verdict)))
      expect(verdicts).to.deep.equal([
        { url: a.url, chainId: OURS, servedChainId: OTHER },
        { url: b.url, chainId: OURS, servedChainId: OURS },
      ])
    })
  })

  describe('that verifies nodes by their own responses', () => {
    let nowMs: number
    let request: EIP1193RequestFn

    beforeEach(() => {
      nowMs = 0
      const node = { url: a.url, chainId: OURS, timeoutMs: 60_000, nowMs: () => nowMs }
      request = nodeTransport(node)({}).request as EIP1193RequestFn
    })

    const ask = () => request({ method: 'eth_blockNumber' })

    it('trusts a node for a minute, and then requests its chain id again', async () => {
      const calls = serve(a, OURS)
      await ask()
      nowMs = 59_999
      await ask()
      expect(calls.filter((method) => method === 'eth_chainId')).to.have.length(1)
      serve(a, OTHER)
      nowMs = 60_000
      expect(String(await failureOf(ask()))).to.include(`serves chain ${OTHER}`)
    })

    it('does not trust a node after a failure until it has returned its chain id again', async () => {
      serve(a, OURS)
      await ask()
      serve(a, OURS, 'error')
      await failureOf(ask())
      serve(a, OTHER)
      expect(String(await failureOf(ask()))).to.include(`serves chain ${OTHER}`)
    })

    it('does not trust a response if another request failed while it was in flight', async () => {
      serve(a, OURS)
      await ask()
      let answer = (): void => undefined
      const isAnswered = new Promise<void>((resolve) => {
        answer = resolve
      })
      a.rule(async (method) => {
        if (method === 'eth_gasPrice') return 'error'
        if (method === 'eth_chainId') return { result: toHex(OTHER) }
        await isAnswered
        return { result: '0xffffff' }
      })
      const late = failureOf(ask())
      await failureOf(request({ method: 'eth_gasPrice' }))
      answer()
      expect(String(await late)).to.include(`serves chain ${OTHER}`)
    })

    it('queries a node of another chain again after 10 s, and uses it once it serves the right chain', async () => {
      const calls = serve(a, OTHER)
      await failureOf(ask())
      await failureOf(ask())
      expect(calls).to.have.length(1)
      serve(a, OURS, { result: '0x7' })
      nowMs = 10_000
      expect(await ask()).to.equal('0x7')
    })

    it('treats a revert as a result that requires no new verification', async () => {
      const calls = serve(a, OURS, { error: { code: 3, message: 'execution reverted', data: '0x01' } })
      await failureOf(ask())
      await failureOf(ask())
      expect(calls).to.deep.equal(['eth_chainId', 'eth_blockNumber', 'eth_blockNumber'])
    })

    it('treats a chain id that is not a number as a failure of the node', async () => {
      a.rule(() => ({ result: '0xzz' }))
      expect(String(await failureOf(ask()))).to.include('unusable result')
    })
  })

  describe('in an outage', () => {
    it('queries each node at most twice, without further retries', async () => {
      const calls = [serve(a, OURS), serve(b, OURS)].flat()
      await head()
      calls.length = 0
      const asked = [serve(a, OURS, 'error'), serve(b, OURS, 'error')]
      await failureOf(head())
      const methods = asked.flat()
      expect(methods.filter((method) => method !== 'eth_chainId')).to.have.length(4)
      expect(methods, 'including the chain ids').to.have.length.at.most(8)
    })

    it('sends one request per node and round if no node responds', async () => {
      const calls: string[] = []
      for (const node of [a, b])
        node.rule((method) => {
          calls.push(method)
          return 'error'
        })
      await failureOf(head())
      expect(calls).to.have.length(4)
    })
  })

  it('queries a failed node only after the others, until it responds again', async () => {
    serve(a, OURS, 'error')
    const calls = serve(b, OURS, { result: '0x7' })
    const nodes = [a, b].map(({ url }) => nodeTransport({ url, chainId: OURS, timeoutMs: 20_000 }))
    const { request } = createFallbackTransport(nodes, { rounds: 1 })({})
    await request({ method: 'eth_blockNumber' })
    const asked = serve(a, OURS, { result: '0x8' })
    expect(await request({ method: 'eth_blockNumber' })).to.equal('0x7')
    expect(asked, 'requests to the node that failed').to.deep.equal([])
    serve(b, OURS, 'error')
    expect(await request({ method: 'eth_blockNumber' })).to.equal('0x8')
    serve(b, OURS, { result: '0x9' })
    expect(await request({ method: 'eth_blockNumber' }), 'requests to the preferred node again').to.equal(
      '0x8',
    )
    expect(calls).to.include('eth_blockNumber')
  })

  it('queries the next node if one stalls in the middle of its response', async () => {
    serve(a, OURS, 'stall')
    serve(b, OURS, { result: '0x7' })
    const nodes = [
      nodeTransport({ url: a.url, chainId: OURS, timeoutMs: 500 }),
      nodeTransport({ url: b.url, chainId: OURS, timeoutMs: 20_000 }),
    ]
    const { request } = createFallbackTransport(nodes, { rounds: 1 })({})
    expect(await request({ method: 'eth_blockNumber' })).to.equal('0x7')
  })

  for (const { title, fate, read } of [
    { title: 'no result', fate: { result: undefined }, read: () => head() },
    { title: 'no head', fate: { result: null }, read: () => client().getBlock() },
    { title: 'a number instead of a hash', fate: { result: 5 }, read: () => head() },
    { title: 'no list of logs', fate: { result: null }, read: () => client().getLogs() },
    {
      title: 'a list with an item that is not a log',
      fate: { result: [null] },
      read: () => client().getLogs(),
    },
    {
      title: 'a log without topics',
      fate: { result: [{ address: '0x1', data: '0x', transactionHash: null }] },
      read: () => client().getLogs(),
    },
    ...(['logs', 'from', 'status'] as const).map((field) => ({
      title: `a receipt without ${field}`,
      fate: { result: { ...RECEIPT, [field]: undefined } },
      read: () => client().getTransactionReceipt({ hash: `0x${'0'.repeat(64)}` }),
    })),
    { title: 'a number without digits', fate: { result: '0x' }, read: () => head() },
    {
      title: 'no code',
      fate: { result: null },
      read: () => client().getCode({ address: `0x${'0'.repeat(40)}` }),
    },
  ] as const) {
    it(`queries the next node if one returns ${title}`, async () => {
      serve(a, OURS, fate)
      const calls = serve(b, OURS, 'error')
      await failureOf(read() as Promise<unknown>)
      expect(calls).to.include('eth_chainId')
      expect(calls.length).to.be.greaterThan(1)
    })
  }

  it('does not query the next node if the requested receipt or block number does not exist', async () => {
    serve(a, OURS, { result: null })
    const calls = serve(b, OURS)
    const missing = [
      client().getTransactionReceipt({ hash: `0x${'0'.repeat(64)}` }),
      client().getBlock({ blockNumber: 7n }),
    ]
    const names = (await Promise.all(missing.map(failureOf))).map(({ name }) => name)
    expect(names).to.deep.equal(['TransactionReceiptNotFoundError', 'BlockNotFoundError'])
    expect(calls).to.deep.equal([])
  })

  it('truncates a node’s text to 2,000 characters, in an error’s message and in its data', async () => {
    const text = 'a+'.repeat(1_000_000)
    for (const fate of [
      { error: { code: -32000, message: text, data: text } },
      { error: { code: 3, message: text, data: { data: text, other: text } } },
      { error: text },
      { result: [text] },
    ]) {
      serve(a, OURS, fate)
      serve(b, OURS, fate)
      const error = await failureOf(head())
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
        const shown = JSON.stringify(cause, Object.getOwnPropertyNames(cause))
        expect(shown.includes('a+'.repeat(1_001)), 'more than 2,000 characters of the text').to.equal(false)
        // viem repeats the text in several fields and in the causes.
        expect(shown.length, 'of 2 MB').to.be.below(50_000)
      }
    }
  })

  it('does not request a URL that a contract’s revert names', async () => {
    let isAsked = false
    const stranger = await startRpcProxy('http://127.0.0.1:9')
    stranger.rule(() => {
      isAsked = true
      return 'error'
    })
    const data = encodeErrorResult({
      abi: parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']),
      args: [`0x${'11'.repeat(20)}`, [stranger.url], '0x', '0x00000000', '0x'],
    })
    serve(a, OURS, { error: { code: 3, message: 'execution reverted', data } })
    await failureOf(client().call({ to: `0x${'11'.repeat(20)}` }))
    await stranger.stop()
    expect(isAsked).to.equal(false)
  })
})
