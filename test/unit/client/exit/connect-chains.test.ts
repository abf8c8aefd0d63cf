import { expect } from 'chai'
import { connectChains } from '../../../../api/client/exit/exit-chain.ts'
import { listKnownChains } from '../../../../api/client/exit/known-chains.ts'
import { startRpcServer } from '../../../support/rpc-server.ts'

describe('connectChains', () => {
  const known = listKnownChains(undefined)
  const connect = (urls: readonly string[]) => connectChains(urls, { known, isInsecure: false })
  const servers: (() => void)[] = []

  afterEach(() => servers.splice(0).forEach((stop) => stop()))

  it('assigns each node to the chain whose id it reports, and lists the chain’s registered tokens', async () => {
    const { chains, silent } = await connect([await serve(8453), await serve(5042), await serve(8453)])
    expect(silent).to.deep.equal([])
    expect(chains.map(({ name, rpcUrls }) => [name, rpcUrls.length])).to.deep.equal([
      ['base', 2],
      ['arc', 1],
    ])
    expect(chains.map(({ nodes }) => nodes.quorum)).to.deep.equal([2, 1])
    expect(chains.map(({ tokens }) => tokens.map(({ symbol }) => symbol))).to.deep.equal([
      ['USDC', 'USDT'],
      ['USDC'],
    ])
    // On Arc, USDC is the coin.
    expect(chains.map(({ hasCoin }) => hasCoin)).to.deep.equal([true, false])
    expect(chains.map(({ contracts }) => contracts)).to.deep.equal(['missing', 'missing'])
  })

  it('rejects a node that serves an unknown chain', async () => {
    const url = await serve(4242)
    const message = `--rpc ${new URL(url).host} serves chain 4242: must be one of base 8453,`
    await expectRejection(connect([url]), message)
  })

  it('rejects text that is not a URL, and plain http to other machines', async () => {
    await expectRejection(connect(['base']), '--rpc is "base": must be an http, https, ws or wss URL')
    await expectRejection(connect(['http://192.0.2.1/key']), '--rpc goes to 192.0.2.1 over http')
  })

  it('connects the other chains if a node does not respond, and names its host', async () => {
    const { chains, silent } = await connect(['http://127.0.0.1:1/key', await serve(8453)])
    expect(chains.map(({ name }) => name)).to.deep.equal(['base'])
    expect(silent).to.deep.equal(['127.0.0.1:1'])
  })

  it('fails if no node responds, naming only hosts, because a URL may contain a key', async () => {
    await expectRejection(
      connect(['http://127.0.0.1:1/key', 'http://127.0.0.1:2/key']),
      '--rpc 127.0.0.1:1, 127.0.0.1:2: no node returned its chain id',
    )
  })

  /** Starts a node without contracts. */
  async function serve(chainId: number): Promise<string> {
    const { url, stop } = await startRpcServer((method) =>
      method === 'eth_chainId' ? `0x${chainId.toString(16)}` : '0x',
    )
    servers.push(stop)
    return url
  }
})

async function expectRejection(promise: Promise<unknown>, message: string): Promise<void> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(String(error)).to.include(message)
  expect(String(error)).to.not.include('/key')
}
