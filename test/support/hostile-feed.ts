import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem'
import { createApiClient } from '../../api/client/client.ts'
import { type FeedChange, followDistributions } from '../../api/client/distribution-feed.ts'
import { paymentSplitFactoryAbi } from '../../shared/chain/abi/payment-split-factory.ts'
import type { Address, AddressFamily, Hex } from '../../shared/domain/address.ts'
import { type Split, TOTAL_ALLOCATION } from '../../shared/domain/allocation.ts'
import { encodeDistribution, NOBODY } from '../../shared/domain/distribution-call.ts'
import { addressFamily, FAMILIES, parseAddress } from '../../shared/domain/families/families.ts'
import type { presentDistribution } from '../../shared/domain/present-distribution.ts'

/** Who has never been promised anything. */
const ATTACKER = `0x${'bad0'.repeat(10)}` as Address
const OTHER_TOKEN = `0x${'0bad'.repeat(10)}` as Address

/** What the feed says of a distribution. */
export type Offer = ReturnType<typeof presentDistribution>

/** What a feed may say of a real distribution, and the word by which the keeper says what is wrong with it. */
export const HOSTILE_OFFERS: Readonly<
  Record<string, readonly [change: (offer: Offer) => unknown, reason: string]>
> = {
  'a transfer of the keeper’s own USDC to the attacker, at the token': [
    (offer) => ({ ...offer, call: { ...offer.call, to: offer.tokenAddress, data: transferToAttacker() } }),
    'call.to',
  ],
  'the same transfer with our factory’s address': [
    (offer) => withData(offer, transferToAttacker()),
    'is no createAndDistribute',
  ],
  'another factory, named everywhere': [
    (offer) => ({
      ...offer,
      factoryAddress: written(ATTACKER, offer),
      call: { ...offer.call, to: written(ATTACKER, offer) },
    }),
    'factoryAddress',
  ],
  'another factory in the call alone': [
    (offer) => ({ ...offer, call: { ...offer.call, to: written(ATTACKER, offer) } }),
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
      tokenAddress: written(OTHER_TOKEN, offer),
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

/** Starts a feed: the list, and a stream that ends what is told with the removal of something nobody knows. */
export async function serveFeed(list: () => readonly unknown[]): Promise<Server> {
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
  return (parseAddress(String(recipients[0]?.address)) ?? '').slice(2)
}

/** The call of an offer with other terms, another distributor or another token. */
export function encodeTerms(
  { call, tokenAddress }: Offer,
  changes: Partial<Split>,
  [distributor, token]: readonly [distributor: Address, token?: Address] = [NOBODY],
): Hex {
  const { args } = decodeFunctionData({ abi: paymentSplitFactoryAbi, data: call.data as Hex })
  const [terms, salt] = args as unknown as readonly [Split, Hex]
  const split: Split = {
    recipients: terms.recipients.map((recipient) => parseAddress(recipient) as Address),
    allocations: terms.allocations.map(Number),
    totalAllocation: Number(terms.totalAllocation as unknown as bigint), // As viem decodes a uint256.
    distributionIncentive: terms.distributionIncentive,
    ...changes,
  }
  return encodeDistribution({
    split,
    salt,
    token: token ?? (parseAddress(tokenAddress) as Address),
    distributor,
  })
}

/** As the users of the offer's family write an address. */
function written(address: Address, { tokenAddress }: Offer): string {
  return FAMILIES[addressFamily(tokenAddress) as AddressFamily].presentAddress(address)
}

/** Hears all that a feed lists. */
export async function hearAll(server: Server, hear: (change: FeedChange) => void): Promise<void> {
  const { port } = server.address() as AddressInfo
  const api = createApiClient({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'svc_live_none' })
  const closing = new AbortController()
  for await (const change of followDistributions(api, closing.signal)) {
    if (change.type === 'distribution.claimed') closing.abort()
    else hear(change)
  }
}
