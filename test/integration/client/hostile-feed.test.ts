import type { Server } from 'node:http'
import { expect } from 'chai'
import { type LocalAccount, parseTransaction } from 'viem'
import { createKeeper } from '../../../api/client/create-keeper.ts'
import { createEvmKeeper } from '../../../api/client/evm-keeper.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { presentDistribution } from '../../../shared/domain/present-distribution.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import {
  encodeTerms,
  HOSTILE_OFFERS,
  type Offer,
  relayChanges,
  serveFeed,
} from '../../support/hostile-feed.ts'
import { addressOf, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { recordingLog } from '../../support/recording-log.ts'

const CHAIN_ID = 31337

describe('a keeper with a hostile feed', function () {
  this.timeout(240_000)

  let stage: Stage
  let charge: PaidCharge
  let server: Server
  let offered: readonly unknown[]
  let signed: Hex[]

  stageForEach((fresh) => {
    stage = fresh
  })

  beforeEach(async () => {
    signed = []
    charge = await stage.pay({ amount: 1_000_000_000n })
    await stage.callToken('mint', [ACCOUNTS.keeper.address, 5_000_000_000n])
    server = await serveFeed(() => offered)
  })

  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  for (const [title, [change, reason]] of Object.entries(HOSTILE_OFFERS)) {
    it(`signs nothing for an offer with ${title}`, async () => {
      offered = [change(offerOf(charge))]
      const lines = await keep()
      expect(signed).to.deep.equal([])
      expect(lines.filter(({ msg }) => msg === 'Rejected a distribution from the feed')).to.have.length(1)
      expect(String(lines[0]?.['reason'])).to.include(reason)
      expect(await stage.balanceOf(addressOf(ACCOUNTS.keeper.address))).to.equal(5_000_000_000n)
    })
  }

  it('computes the reward from the split’s balance on chain and ignores the feed’s value', async () => {
    const poor = await stage.pay({ amount: 1n })
    offered = [{ ...offerOf(poor), estimatedRewardAmount: 1_000_000, distributorFeePercent: 100 }]
    const lines = await keep()
    expect(signed).to.deep.equal([])
    expect(lines[0]).to.include({
      msg: 'Skipped a distribution that is unprofitable or needs too much gas',
      reward_usd: 0,
    })
  })

  it('builds the only valid call itself: to the factory, without native coins, for its own chain and account', async () => {
    const honest = offerOf(charge)
    offered = [...Object.values(HOSTILE_OFFERS).map(([change]) => change(honest)), null, 'text', honest]
    await keep()
    expect(signed).to.have.length(1)
    const { to, data, value, chainId } = parseTransaction(signed[0] ?? '0x')
    expect({ to, value, chainId }).to.deep.equal({ to: SPLIT_FACTORY, value: undefined, chainId: CHAIN_ID })
    expect(data).to.equal(encodeTerms(honest, {}, [addressOf(ACCOUNTS.keeper.address)]))
    expect(await stage.balanceOf(charge.splitAddress)).to.equal(0n)
  })

  function offerOf(paid: PaidCharge): Offer {
    return presentDistribution({
      ...{ chargeId: paid.chargeId, family: 'evm', network: 'base', token: 'USDC', chainId: CHAIN_ID },
      ...{ tokenAddress: stage.token, decimals: 6, splitAddress: paid.splitAddress },
      splitTerms: { ...paid.split, factory: SPLIT_FACTORY },
      ...{ isDeployed: false, owedAtomic: atomic(1n), availableSince: new Date(), graceEndsAt: new Date() },
    })
  }

  /** Passes all offers to the keeper and runs its turns until no offer is left. Returns the keeper's log. */
  async function keep() {
    const { log, lines } = recordingLog()
    await stage.node.setAutomine(true)
    const known = { network: 'base', family: 'evm', chainId: CHAIN_ID, factory: SPLIT_FACTORY } as const
    const chain = { ...known, tokens: [{ token: 'USDC' as const, address: stage.token, decimals: 6 }] }
    const account = recordingAccount(signed)
    const keeper = createKeeper({
      chains: new Map([['base', createEvmKeeper({ account, chain, rpcUrl: stage.rpcUrl, coinUsd: 1 })]]),
      margin: 1.2,
      log,
    })
    await relayChanges(server, keeper.hear)
    for (let outcome = 'more'; outcome === 'more'; ) outcome = await keeper.turn()
    await stage.node.setAutomine(false)
    return lines
  }
})

/** Creates the keeper's account, which records everything that it signs. */
function recordingAccount(signed: Hex[]) {
  const account = toSigner(ACCOUNTS.keeper)
  const refuse = () => Promise.reject(new Error('a keeper signs only transactions'))
  return {
    ...account,
    sign: refuse,
    signMessage: refuse,
    signTypedData: refuse,
    signTransaction: async (...args) => {
      const bytes = await account.signTransaction(...args)
      signed.push(bytes)
      return bytes
    },
  } as LocalAccount & { readonly sign: typeof refuse }
}
