import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { decodeFunctionData, encodeFunctionData, type LocalAccount, parseAbi, parseTransaction } from 'viem'
import { createApiClient } from '../../../api/client/client.ts'
import { followDistributions } from '../../../api/client/distribution-feed.ts'
import { createKeeper } from '../../../api/client/keep.ts'
import { paymentSplitFactoryAbi } from '../../../shared/chain/abi/payment-split-factory.ts'
import { createChainClient } from '../../../shared/chain/client.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { type Split, TOTAL_ALLOCATION } from '../../../shared/domain/allocation.ts'
import { encodeDistribution, NOBODY } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { presentDistribution } from '../../../shared/domain/present-distribution.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { ACCOUNTS, signerOf } from '../../devnet/accounts.ts'
import { addressOf, type PaidCharge, type Stage } from '../../support/payout-stage.ts'
import { stageForEach } from '../../support/payout-stage-for-each.ts'
import { recordingLog } from '../../support/recording-log.ts'

const CHAIN_ID = 31337
const ATTACKER = addressOf(`0x${'bad0'.repeat(10)}`)
const OTHER_TOKEN = addressOf(`0x${'0bad'.repeat(10)}`)

type Offer = ReturnType<typeof presentDistribution>

/** What a feed may say of a real distribution, and the word by which the keeper says what is wrong with it. */
const ATTEMPTS: Readonly<Record<string, readonly [change: (offer: Offer) => unknown, reason: string]>> = {
  'a transfer of the keeper’s own USDC to the attacker, at the token': [
    (offer) => ({ ...offer, call: { ...offer.call, to: offer.tokenAddress, data: transferToAttacker() } }),
    'call.to',
  ],
  'the same transfer with our factory’s address': [
    (offer) => withData(offer, transferToAttacker()),
    'is no createAndDistribute',
  ],
  'another factory, named everywhere': [
    (offer) => ({ ...offer, factoryAddress: ATTACKER, call: { ...offer.call, to: ATTACKER } }),
    'factoryAddress',
  ],
  'another factory in the call alone': [
    (offer) => ({ ...offer, call: { ...offer.call, to: ATTACKER } }),
    'call.to',
  ],
  'another selector before good terms': [
    (offer) => withData(offer, `0xdeadbeef${offer.call.data.slice(10)}`),
    'is no createAndDistribute',
  ],
  'the attacker in the place of the merchant': [
    (offer) => withData(offer, offer.call.data.replaceAll(recipientOf(offer), ATTACKER.slice(2))),
    'splitAddress',
  ],
  'other shares for the same recipients': [
    (offer) => withData(offer, encodeTerms(offer, { distributionIncentive: 50_000 })),
    'splitAddress',
  ],
  'another distributor than the keeper': [
    (offer) => withData(offer, encodeTerms(offer, {}, [ATTACKER])),
    'nobody as distributor',
  ],
  'another place for the distributor, which is the token’s': [
    (offer) => ({ ...offer, call: { ...offer.call, distributorOffset: offer.call.data.length / 2 - 21 } }),
    'call.distributorOffset',
  ],
  'a token that is in no registry': [
    (offer) => ({
      ...withData(offer, encodeTerms(offer, {}, [NOBODY, OTHER_TOKEN])),
      tokenAddress: OTHER_TOKEN,
    }),
    'tokenAddress',
  ],
  'a token in the call that is not the one it names': [
    (offer) => withData(offer, encodeTerms(offer, {}, [NOBODY, OTHER_TOKEN])),
    'distributes',
  ],
  'a token that there is not': [(offer) => ({ ...offer, token: 'DAI' }), 'token DAI'],
  'coin to be sent with it': [
    (offer) => ({ ...offer, call: { ...offer.call, value: '1000000000000000000' } }),
    'call.value',
  ],
  'the chain id of another network': [(offer) => ({ ...offer, chainId: 1 }), 'chainId'],
  'bytes behind the call': [(offer) => withData(offer, `${offer.call.data}00`), 'not what its terms make'],
  'a call of half a megabyte': [(offer) => withData(offer, `0x${'00'.repeat(500_000)}`), 'above the maximum'],
  'a call that is no hex': [(offer) => withData(offer, '0xzz'), 'no hex'],
  'terms whose shares add up to more than everything': [
    (offer) => withData(offer, encodeTerms(offer, { totalAllocation: TOTAL_ALLOCATION + 1 })),
    'none that can be deployed',
  ],
  'no call': [(offer) => ({ ...offer, call: null }), 'call is'],
  'no distribution but its network': [({ network }) => ({ network }), 'call is'],
}

describe('a keeper, told by a hostile feed', function () {
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

  for (const [what, [change, reason]] of Object.entries(ATTEMPTS)) {
    it(`signs nothing that offers ${what}`, async () => {
      offered = [change(offerOf(charge))]
      const lines = await keep()
      expect(signed).to.deep.equal([])
      expect(lines.filter(({ msg }) => msg === 'Refused what the feed offers')).to.have.length(1)
      expect(String(lines[0]?.['reason'])).to.include(reason)
      expect(await stage.balanceOf(addressOf(ACCOUNTS.keeper.address))).to.equal(5_000_000_000n)
    })
  }

  it('weighs what the split holds on the chain, whatever reward it is told of', async () => {
    const poor = await stage.pay({ amount: 1n })
    offered = [{ ...offerOf(poor), estimatedRewardAmount: 1_000_000, distributorFeePercent: 100 }]
    const lines = await keep()
    expect(signed).to.deep.equal([])
    expect(lines[0]).to.include({ msg: 'Left a distribution that does not pay', reward_usd: 0 })
  })

  it('makes the honest call among all of these itself: to the factory, without coin, for its own chain and account', async () => {
    const honest = offerOf(charge)
    offered = [...Object.values(ATTEMPTS).map(([change]) => change(honest)), null, 'text', honest]
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

  /** Hears all that is offered and takes every turn there is; answers what the keeper logged. */
  async function keep() {
    const { log, lines } = recordingLog()
    await stage.node.setAutomine(true)
    const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [stage.rpcUrl] })
    const keeper = createKeeper({
      account: recordingAccount(signed),
      chains: new Map([
        [
          'base',
          {
            ...{ client, coinUsd: 1, dataFeeModel: 'op-stack' },
            tokens: [{ token: 'USDC', address: stage.token, decimals: 6 }],
          },
        ],
      ]),
      margin: 1.2,
      log,
    })
    const { port } = server.address() as AddressInfo
    const api = createApiClient({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'svc_live_none' })
    const closing = new AbortController()
    for await (const change of followDistributions(api, closing.signal)) {
      if (change.type === 'distribution.claimed') closing.abort()
      else keeper.hear(change)
    }
    for (let outcome = 'more'; outcome === 'more'; ) outcome = await keeper.turn()
    await stage.node.setAutomine(false)
    return lines
  }
})

/** The keeper's account, which writes down whatever it signs. */
function recordingAccount(signed: Hex[]): LocalAccount {
  const account = signerOf(ACCOUNTS.keeper)
  const refuse = () => Promise.reject(new Error('a keeper signs transactions only'))
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
  } as LocalAccount
}

/** The list, and a stream that ends what is told with the removal of something nobody knows. */
async function serveFeed(list: () => readonly unknown[]): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.includes('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const end = { type: 'distribution.claimed', splitAddress: '0x', network: 'base', token: 'USDC' }
      response.write(`event: distribution\nid: 1\ndata: ${JSON.stringify(end)}\n\n`)
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: list(), hasMore: false, nextCursor: null }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}

function withData(offer: Offer, data: string) {
  return { ...offer, call: { ...offer.call, data } }
}

function transferToAttacker(): Hex {
  const abi = parseAbi(['function transfer(address to, uint256 amount)'])
  return encodeFunctionData({ abi, args: [ATTACKER, 5_000_000_000n] })
}

function recipientOf({ recipients }: Offer): string {
  return String(recipients[0]?.address).slice(2).toLowerCase()
}

/** The call of an offer with other terms, another distributor or another token. */
function encodeTerms(
  { call, tokenAddress }: Offer,
  changes: Partial<Split>,
  [distributor, token]: readonly [distributor: Address, token?: Address] = [NOBODY],
): Hex {
  const { args } = decodeFunctionData({ abi: paymentSplitFactoryAbi, data: call.data as Hex })
  const [terms, salt] = args as unknown as readonly [Split, Hex]
  const split: Split = {
    recipients: terms.recipients.map((recipient) => addressOf(recipient)),
    allocations: terms.allocations.map(Number),
    totalAllocation: Number(terms.totalAllocation as unknown as bigint), // As viem decodes a uint256.
    distributionIncentive: terms.distributionIncentive,
    ...changes,
  }
  return encodeDistribution({ split, salt, token: token ?? addressOf(tokenAddress), distributor })
}
