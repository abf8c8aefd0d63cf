import { expect } from 'chai'
import {
  type DecimalsMismatch,
  findDecimalsMismatches,
} from '../../../indexer/chain-feed/decimals-mismatch.ts'
import { checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { checkAuthorizationDomain } from '../../../shared/chain/eip3009/check-authorization-domain.ts'
import type { ChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { TokenConfig } from '../../../shared/runtime/networks-config.ts'
import { chainAt } from '../../support/chain-at.ts'
import { type Stage, setStage, startChain, type TestChain } from '../../support/payout-fixture.ts'
import { type RpcFate, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const CHAIN_ID = 31337
const DOMAIN = { name: 'USD Coin', version: '2' }

describe('the code of a chain’s contracts', function () {
  this.timeout(120_000)
  let chain: TestChain
  let stage: Stage
  let faulty: RpcProxy
  let third: RpcProxy

  before(async () => {
    chain = await startChain()
    stage = await setStage(chain)
    faulty = await startRpcProxy(chain.rpcUrl)
    third = await startRpcProxy(chain.rpcUrl)
  })
  after(async () => {
    await Promise.all([faulty.stop(), third.stop()])
    await stage.close()
    await chain.stop()
  })

  /**
   * The values that are read, each with the correct result (`truth`), the false response of one node (`lie`), and the
   * result without agreement (`unknown`).
   */
  const READINGS: readonly {
    readonly title: string
    readonly read: (nodes: ChainNodes) => Promise<unknown>
    readonly method: string
    readonly lie: RpcFate
    readonly truth: unknown
    readonly unknown: unknown
  }[] = [
    {
      title: 'our factory',
      read: (nodes) => checkContracts(nodes, { family: 'evm' }),
      ...{ method: 'eth_getCode', lie: { result: '0x6001' }, truth: 'match', unknown: 'unreachable' },
    },
    {
      title: 'our factory, reported as missing',
      read: (nodes) => checkContracts(nodes, { family: 'evm' }),
      ...{ method: 'eth_getCode', lie: { result: '0x' }, truth: 'match', unknown: 'unreachable' },
    },
    {
      title: 'a token’s decimals',
      read: (nodes) => findDecimalsMismatches(nodes, [usdc(6)]),
      ...{ method: 'eth_call', lie: { result: `0x${'0'.repeat(62)}12` }, truth: [], unknown: null },
    },
    {
      title: 'the EIP-712 domain of a token',
      read: (nodes) =>
        checkAuthorizationDomain(nodes, { chainId: CHAIN_ID, token: stage.token, domain: DOMAIN }),
      ...{
        method: 'eth_call',
        lie: { result: `0x${'0'.repeat(64)}` },
        truth: 'match',
        unknown: 'unreachable',
      },
    },
  ]

  for (const { title, read, method, lie, truth, unknown } of READINGS) {
    for (const [place, which] of ['first', 'second'].entries()) {
      const nodesWith = (...honest: readonly string[]) => chainAt(honest.toSpliced(place, 0, faulty.url))

      it(`is unknown while the ${which} of two nodes reports another value or no value (${title})`, async () => {
        for (const fate of [lie, 'error'] as const) {
          faulty.rule((asked) => (asked === method ? fate : 'pass'))
          expect(await read(nodesWith(chain.rpcUrl))).to.deep.equal(unknown)
        }
        faulty.rule(() => 'pass')
        expect(await read(nodesWith(chain.rpcUrl))).to.deep.equal(truth)
      })

      it(`is known although the ${which} of three nodes reports another value or no value (${title})`, async () => {
        for (const fate of [lie, 'error'] as const) {
          faulty.rule((asked) => (asked === method ? fate : 'pass'))
          expect(await read(nodesWith(chain.rpcUrl, third.url))).to.deep.equal(truth)
        }
      })
    }
  }

  it('differs when a quorum reports other decimals', async () => {
    const others = await findDecimalsMismatches(chainAt([chain.rpcUrl, third.url]), [usdc(18)])
    expect(others?.map(({ onChain }: DecimalsMismatch) => onChain)).to.deep.equal([6])
  })

  it('is reported as the wrong chain only if every node serves another chain', async () => {
    const check = (urls: readonly string[], chainId: number) =>
      checkContracts(chainAt(urls, { chainId, quorum: 2 }), { family: 'evm' })
    faulty.rule(() => 'pass')
    expect(await check([faulty.url, chain.rpcUrl], 5)).to.equal('wrong_chain')
    faulty.rule((method) => (method === 'eth_chainId' ? { result: '0x5' } : 'pass'))
    expect(await check([faulty.url, chain.rpcUrl], CHAIN_ID)).to.equal('unreachable')
    expect(await check([faulty.url, 'http://127.0.0.1:9'], CHAIN_ID)).to.equal('unreachable')
  })

  function usdc(decimals: number): TokenConfig {
    return { token: 'USDC', address: stage.token, decimals, enabled: true, restriction: null }
  }
})
