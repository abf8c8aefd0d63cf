import { expect } from 'chai'
import { type EIP1193RequestFn, encodeErrorResult, parseAbi, toHex } from 'viem'
import { askInTurn } from '../../../shared/chain/ask-in-turn.ts'
import { createChainClient } from '../../../shared/chain/client.ts'
import type { NodeVerdict } from '../../../shared/chain/node-identity.ts'
import { nodeTransport } from '../../../shared/chain/node-transport.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const OURS = 8453
const OTHER = 10

/** A node that answers every call with `fate`, and its chain id with `chainId`. */
function serve(node: RpcProxy, chainId: number, fate: RpcFate = { result: '0x1' }): string[] {
  const calls: string[] = []
  node.rule((method) => {
    calls.push(method)
    return method === 'eth_chainId' ? { result: toHex(chainId) } : fate
  })
  return calls
}

describe('the nodes of a chain', () => {
  let a: RpcProxy
  let b: RpcProxy

  before(async () => {
    ;[a, b] = await Promise.all([startRpcProxy('http://127.0.0.1:9'), startRpcProxy('http://127.0.0.1:9')])
  })

  after(() => Promise.all([a, b].map((node) => node?.stop())))

  const client = (onVerdict?: (verdict: NodeVerdict) => void) =>
    createChainClient({ chainId: OURS, rpcUrls: [a.url, b.url] }, onVerdict)

  const head = (from = client()) => from.getBlockNumber({ cacheTime: 0 })

  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('it did not fail'),
      (error: unknown) => error as Error & { details?: string; data?: unknown },
    )

  describe('of which one serves another chain', () => {
    it('answers nothing by it, whether it is asked first or last', async () => {
      serve(a, OTHER, { result: '0xffffff' })
      serve(b, OURS, { result: '0x7' })
      expect(await head()).to.equal(7n)
      serve(a, OURS, 'error')
      serve(b, OTHER, { result: '0xffffff' })
      expect(String(await failureOf(head()))).to.include('HTTP request failed')
    })

    it('asks it for nothing but its chain id', async () => {
      const calls = serve(a, OTHER)
      serve(b, OURS)
      await head()
      expect(calls).to.deep.equal(['eth_chainId'])
    })

    it('says so when no other is left, without the key in its URL', async () => {
      const secret = createChainClient({ chainId: OURS, rpcUrls: [`${a.url}/key`] })
      serve(a, OTHER)
      const { message } = await failureOf(head(secret))
      expect(message)
        .to.include(`${new URL(a.url).host} serves chain ${OTHER}, not ${OURS}`)
        .and.not.include('/key')
    })

    it('tells each reading, of every node that was asked', async () => {
      const verdicts: NodeVerdict[] = []
      serve(a, OTHER)
      serve(b, OURS)
      await head(client((verdict) => verdicts.push(verdict)))
      expect(verdicts).to.deep.equal([
        { url: a.url, chainId: OURS, servedChainId: OTHER },
        { url: b.url, chainId: OURS, servedChainId: OURS },
      ])
    })
  })

  describe('verified by what they answer themselves', () => {
    let nowMs: number
    let request: EIP1193RequestFn

    beforeEach(() => {
      nowMs = 0
      const node = { url: a.url, chainId: OURS, timeoutMs: 5_000, nowMs: () => nowMs }
      request = nodeTransport(node)({}).request as EIP1193RequestFn
    })

    const ask = () => request({ method: 'eth_blockNumber' })

    it('believes one for a minute, and then asks for its chain id again', async () => {
      const calls = serve(a, OURS)
      await ask()
      nowMs = 59_999
      await ask()
      expect(calls.filter((method) => method === 'eth_chainId')).to.have.length(1)
      serve(a, OTHER)
      nowMs = 60_000
      expect(String(await failureOf(ask()))).to.include(`serves chain ${OTHER}`)
    })

    it('believes one no more after a failure, until it has said its chain id again', async () => {
      serve(a, OURS)
      await ask()
      serve(a, OURS, 'error')
      await failureOf(ask())
      serve(a, OTHER)
      expect(String(await failureOf(ask()))).to.include(`serves chain ${OTHER}`)
    })

    it('does not believe an answer that came while another request failed', async () => {
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

    it('asks a foreign one again after 10 s, and uses it once it is mended', async () => {
      const calls = serve(a, OTHER)
      await failureOf(ask())
      await failureOf(ask())
      expect(calls).to.have.length(1)
      serve(a, OURS, { result: '0x7' })
      nowMs = 10_000
      expect(await ask()).to.equal('0x7')
    })

    it('takes a revert for an answer, after which there is nothing to verify', async () => {
      const calls = serve(a, OURS, { error: { code: 3, message: 'execution reverted', data: '0x01' } })
      await failureOf(ask())
      await failureOf(ask())
      expect(calls).to.deep.equal(['eth_chainId', 'eth_blockNumber', 'eth_blockNumber'])
    })

    it('takes an id that is no number for a failure', async () => {
      a.rule(() => ({ result: '0xzz' }))
      expect(String(await failureOf(ask()))).to.include('nothing that can be used')
    })
  })

  describe('in an outage', () => {
    it('asks each node twice at most, and nobody asks again', async () => {
      const calls = [serve(a, OURS), serve(b, OURS)].flat()
      await head()
      calls.length = 0
      const asked = [serve(a, OURS, 'error'), serve(b, OURS, 'error')]
      await failureOf(head())
      const methods = asked.flat()
      expect(methods.filter((method) => method !== 'eth_chainId')).to.have.length(4)
      expect(methods, 'with the chain ids').to.have.length.at.most(8)
    })

    it('costs one request a node and round when nothing answers', async () => {
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

  it('asks a node that failed after the others, until it responds again', async () => {
    serve(a, OURS, 'error')
    const calls = serve(b, OURS, { result: '0x7' })
    const nodes = [a, b].map(({ url }) => nodeTransport({ url, chainId: OURS, timeoutMs: 20_000 }))
    const { request } = askInTurn(nodes, { rounds: 1 })({})
    await request({ method: 'eth_blockNumber' })
    const asked = serve(a, OURS, { result: '0x8' })
    expect(await request({ method: 'eth_blockNumber' })).to.equal('0x7')
    expect(asked, 'requests to the node that failed').to.deep.equal([])
    serve(b, OURS, 'error')
    expect(await request({ method: 'eth_blockNumber' })).to.equal('0x8')
    serve(b, OURS, { result: '0x9' })
    expect(await request({ method: 'eth_blockNumber' }), 'the preferred one again').to.equal('0x8')
    expect(calls).to.include('eth_blockNumber')
  })

  it('asks the next node when one stops in the middle of its answer', async () => {
    serve(a, OURS, 'stall')
    serve(b, OURS, { result: '0x7' })
    const nodes = [
      nodeTransport({ url: a.url, chainId: OURS, timeoutMs: 500 }),
      nodeTransport({ url: b.url, chainId: OURS, timeoutMs: 20_000 }),
    ]
    const { request } = askInTurn(nodes, { rounds: 1 })({})
    expect(await request({ method: 'eth_blockNumber' })).to.equal('0x7')
  })

  for (const { what, fate, read } of [
    { what: 'no result', fate: { result: undefined }, read: () => head() },
    { what: 'no head', fate: { result: null }, read: () => client().getBlock() },
    { what: 'a number for a hash', fate: { result: 5 }, read: () => head() },
    { what: 'no list of logs', fate: { result: null }, read: () => client().getLogs() },
    { what: 'no log in its list', fate: { result: [null] }, read: () => client().getLogs() },
    {
      what: 'a log without topics',
      fate: { result: [{ address: '0x1', data: '0x', transactionHash: null }] },
      read: () => client().getLogs(),
    },
    {
      what: 'a receipt without logs',
      fate: { result: { transactionHash: '0x1', blockHash: '0x1', blockNumber: '0x1' } },
      read: () => client().getTransactionReceipt({ hash: `0x${'0'.repeat(64)}` }),
    },
    { what: 'a number without digits', fate: { result: '0x' }, read: () => head() },
    {
      what: 'no code',
      fate: { result: null },
      read: () => client().getCode({ address: `0x${'0'.repeat(40)}` }),
    },
  ] as const) {
    it(`asks the next node when one answers ${what}`, async () => {
      serve(a, OURS, fate)
      const calls = serve(b, OURS, 'error')
      await failureOf(read() as Promise<unknown>)
      expect(calls).to.include('eth_chainId')
      expect(calls.length).to.be.greaterThan(1)
    })
  }

  it('knows that a chain may not have a receipt, nor a block of a number', async () => {
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

  it('cuts what a node wrote to 2 kB, in the text of an error and in its data', async () => {
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
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
        expect(JSON.stringify(cause, Object.getOwnPropertyNames(cause)).length, 'of 2 MB').to.be.below(50_000)
    }
  })

  it('asks no URL that a contract names', async () => {
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
