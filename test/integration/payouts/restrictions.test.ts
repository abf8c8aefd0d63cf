import { expect } from 'chai'

import { createRestrictionReader, type RestrictionReader } from '../../../shared/chain/tokens/restrictions.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { TokenFacts } from '../../../shared/domain/networks.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { chainAt } from '../../support/chain-at.ts'
import { addressOf, type Stage, setStage, startChain, type TestChain } from '../../support/payout-fixture.ts'
import { type RpcProxy, type RpcRule, startRpcProxy } from '../../support/rpc-proxy.ts'

/** A limit for a query that no query reaches, however busy the machine is. */
const NEVER_MS = 60_000
const ACCOUNT = addressOf('0x00000000000000000000000000000000000f00d5')

/** The registry's restriction functions. The test token has only Circle's. */
const CIRCLE = REGISTRY.base.live.tokens.USDC?.restriction ?? null
const TETHER = REGISTRY.ethereum.live.tokens.USDT?.restriction ?? null

describe('the issuer’s restrictions', () => {
  let chain: TestChain
  let stage: Stage
  let proxy: RpcProxy
  let third: RpcProxy
  let nowMs = 0
  let calls = 0
  let requests = 0
  let read: RestrictionReader

  before(async function () {
    this.timeout(240_000)
    chain = await startChain()
    stage = await setStage(chain)
    proxy = await startRpcProxy(chain.rpcUrl)
    third = await startRpcProxy(chain.rpcUrl)
  })

  after(async () => {
    await proxy.stop()
    await third.stop()
    await stage.close()
    await chain.stop()
  })

  beforeEach(async () => {
    await stage.callToken('unBlacklist', [ACCOUNT])
    answer(() => 'pass')
    nowMs = 0
    read = createRestrictionReader(chainAt([proxy.url]), { nowMs: () => nowMs, timeoutMs: NEVER_MS })
  })

  it('are read from the token’s own function, and for Circle’s tokens apply to sending and receiving', async () => {
    expect(await both(usdc())).to.deep.equal(['allowed', 'allowed'])
    await stage.callToken('blacklist', [ACCOUNT])
    nowMs += 300_000
    expect(await both(usdc())).to.deep.equal(['restricted', 'restricted'])
  })

  it('are read once for simultaneous requests about sending and receiving, and are cached for five minutes', async () => {
    await Promise.all([both(usdc()), both(usdc())])
    expect(calls).to.equal(1)
    await stage.callToken('blacklist', [ACCOUNT])
    nowMs += 299_999
    expect(await both(usdc())).to.deep.equal(['allowed', 'allowed'])
    nowMs += 1
    expect(await both(usdc())).to.deep.equal(['restricted', 'restricted'])
    expect(calls).to.equal(2)
  })

  for (const [title, fate] of [
    ['while the node does not respond', 'hang'],
    ['while the node returns errors', 'error'],
  ] as const) {
    it(`are unknown ${title}, and are queried again after 30 s`, async () => {
      if (fate === 'hang') read = createRestrictionReader(chainAt([proxy.url]), { nowMs: () => nowMs })
      answer(() => fate)
      expect(await both(usdc())).to.deep.equal(['unknown', 'unknown'])
      // Without the reader's own limit, the client would query a hanging node twice, and wait 5 s each time.
      if (fate === 'hang') expect(requests).to.be.at.most(1)

      answer(() => 'pass')
      nowMs += 29_999
      expect(await both(usdc())).to.deep.equal(['unknown', 'unknown'])
      nowMs += 1
      const again = both(usdc())
      expect(read({ token: usdc(), account: ACCOUNT, direction: 'send' }), 'queried').to.be.instanceOf(
        Promise,
      )
      // On a busy machine, the response can be too late for the reader's own limit.
      if (fate === 'error') expect(await again).to.deep.equal(['allowed', 'allowed'])
      else await again
    })
  }

  for (const [place, which] of ['first', 'second'].entries()) {
    const readBy = (honest: readonly string[], limit: { timeoutMs?: number } = { timeoutMs: NEVER_MS }) => {
      read = createRestrictionReader(chainAt(honest.toSpliced(place, 0, proxy.url)), limit)
      return both(usdc())
    }

    it(`are unknown while the ${which} of two nodes contradicts the other node, or is down`, async () => {
      answer(() => ({ result: `0x${'0'.repeat(63)}1` }))
      expect(await readBy([chain.rpcUrl]), 'invented').to.deep.equal(['unknown', 'unknown'])
      await stage.callToken('blacklist', [ACCOUNT])
      answer(() => ({ result: `0x${'0'.repeat(64)}` }))
      expect(await readBy([chain.rpcUrl]), 'hidden').to.deep.equal(['unknown', 'unknown'])
      answer(() => 'error')
      expect(await readBy([chain.rpcUrl]), 'down').to.deep.equal(['unknown', 'unknown'])
    })

    it(`are known although the ${which} of three nodes lies or does not respond`, async () => {
      await stage.callToken('blacklist', [ACCOUNT])
      answer(() => ({ result: `0x${'0'.repeat(64)}` }))
      expect(await readBy([chain.rpcUrl, third.url]), 'lies').to.deep.equal(['restricted', 'restricted'])
      answer(() => 'hang')
      // On a busy machine, an honest node can be too late for the reader's own limit, so the next read is awaited.
      const areKnown = async () =>
        (await readBy([chain.rpcUrl, third.url], {})).join() === 'restricted,restricted'
      await waitFor(areKnown, { what: 'a read within the limit while a node hangs', timeoutMs: 20_000 })
    })
  }

  it('are unknown if the contract lacks the configured function', async () => {
    expect(await read({ token: usdt(TETHER), account: ACCOUNT, direction: 'send' })).to.equal('unknown')
  })

  it('are unknown if the response is not a boolean', async () => {
    answer(() => ({ result: `0x${'0'.repeat(63)}2` }))
    expect(await both(usdc())).to.deep.equal(['unknown', 'unknown'])
  })

  it('never prevent an account from receiving USDT, and are not queried for that direction', async () => {
    const token = usdt(TETHER)
    expect(await read({ token, account: ACCOUNT, direction: 'receive' })).to.equal('allowed')
    expect(await both(usdt(null))).to.deep.equal(['allowed', 'unknown'])
    expect(calls).to.equal(0)
  })

  it('are unknown, and not queried, if no restriction function is configured', async () => {
    expect(await both({ ...usdc(), restriction: null })).to.deep.equal(['unknown', 'unknown'])
    expect(calls).to.equal(0)
  })

  function answer(rule: RpcRule): void {
    calls = 0
    requests = 0
    proxy.rule((method, ...rest) => {
      requests += 1
      if (method === 'eth_call') calls += 1
      return rule(method, ...rest)
    })
  }

  function usdc() {
    return { token: 'USDC', address: stage.token, restriction: CIRCLE } as const
  }

  function usdt(restriction: TokenFacts['restriction']) {
    return { token: 'USDT', address: stage.token, restriction } as const
  }

  function both(token: Parameters<RestrictionReader>[0]['token']) {
    return Promise.all([
      read({ token, account: ACCOUNT, direction: 'receive' }),
      read({ token, account: ACCOUNT, direction: 'send' }),
    ])
  }
})
