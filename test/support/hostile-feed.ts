import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem'
import { createApiClient } from '../../api/client/client.ts'
import { type FeedChange, followDistributions } from '../../api/client/distribution-feed.ts'
import { paymentSplitFactoryAbi } from '../../shared/chain/abi/payment-split-factory.ts'
import type { Address, ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import { type Split, TOTAL_ALLOCATION } from '../../shared/domain/allocation.ts'
import {
  CHAIN_FAMILIES,
  findAddressFamily,
  parseAddress,
} from '../../shared/domain/chain-families/chain-families.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../shared/domain/distribution-call.ts'
import type { presentDistribution } from '../../shared/domain/present-distribution.ts'

/** An account with no share in any distribution. */
const ATTACKER = `0x${'bad0'.repeat(10)}` as Address
const OTHER_TOKEN = `0x${'0bad'.repeat(10)}` as Address

/** A distribution as the feed publishes it. */
export type Offer = ReturnType<typeof presentDistribution>

/** Manipulations of a valid distribution, each with a part of the keeper's rejection message. */
export const HOSTILE_OFFERS: Readonly<
  Record<string, readonly [change: (offer: Offer) => unknown, reason: string]>
> = {
  'a transfer of the keeper’s own USDC to the attacker, addressed to the token': [
    (offer) => ({ ...offer, call: { ...offer.call, to: offer.tokenAddress, data: transferToAttacker() } }),
    'call.to',
  ],
  'a transfer of the keeper’s own USDC, addressed to our factory': [
    (offer) => withData(offer, transferToAttacker()),
    'is not a createAndDistribute',
  ],
  'another factory in every field': [
    (offer) => ({
      ...offer,
      factoryAddress: written(ATTACKER, offer),
      call: { ...offer.call, to: written(ATTACKER, offer) },
    }),
    'factoryAddress',
  ],
  'another factory only in the call': [
    (offer) => ({ ...offer, call: { ...offer.call, to: written(ATTACKER, offer) } }),
    'call.to',
  ],
  'another selector before valid terms': [
    (offer) => withData(offer, `0xdeadbeef${offer.call.data.slice(10)}`),
    'is not a createAndDistribute',
  ],
  'a distribution with the attacker in place of the merchant': [
    (offer) => withData(offer, offer.call.data.replaceAll(recipientOf(offer), ATTACKER.slice(2))),
    'splitAddress',
  ],
  'other shares for the same recipients': [
    (offer) => withData(offer, encodeTerms(offer, { distributionIncentive: 50_000 })),
    'splitAddress',
  ],
  'another distributor': [
    (offer) => withData(offer, encodeTerms(offer, {}, [ATTACKER])),
    'with the zero address as distributor',
  ],
  'a distributor offset that points at the token': [
    (offer) => ({ ...offer, call: { ...offer.call, distributorOffset: offer.call.data.length / 2 - 21 } }),
    'call.distributorOffset',
  ],
  'a token outside the registry': [
    (offer) => ({
      ...withData(offer, encodeTerms(offer, {}, [ANY_DISTRIBUTOR, OTHER_TOKEN])),
      tokenAddress: written(OTHER_TOKEN, offer),
    }),
    'tokenAddress',
  ],
  'a call for a token that differs from the named token': [
    (offer) => withData(offer, encodeTerms(offer, {}, [ANY_DISTRIBUTOR, OTHER_TOKEN])),
    'distributes',
  ],
  'an unknown token': [(offer) => ({ ...offer, token: 'DAI' }), 'token DAI'],
  'a call that sends coin': [
    (offer) => ({ ...offer, call: { ...offer.call, value: '1000000000000000000' } }),
    'call.value',
  ],
  'the chain id of another network': [(offer) => ({ ...offer, chainId: 1 }), 'chainId'],
  'bytes after the call': [
    (offer) => withData(offer, `${offer.call.data}00`),
    'differs from the call that its terms encode to',
  ],
  'a call of half a megabyte': [(offer) => withData(offer, `0x${'00'.repeat(500_000)}`), 'above the maximum'],
  'a call that is not hex': [(offer) => withData(offer, '0xzz'), 'not hex'],
  'a total of shares above 100 %': [
    (offer) => withData(offer, encodeTerms(offer, { totalAllocation: TOTAL_ALLOCATION + 1 })),
    'no split can be deployed',
  ],
  'no call': [(offer) => ({ ...offer, call: null }), 'call is'],
  'only a network': [({ network }) => ({ network }), 'call is'],
}

/** Starts a feed with two endpoints: the list, and a stream whose only event removes an unknown distribution. */
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

/** Encodes the call of an offer with changed terms and, if given, another distributor or token. */
export function encodeTerms(
  { call, tokenAddress }: Offer,
  changes: Partial<Split>,
  [distributor, token]: readonly [distributor: Address, token?: Address] = [ANY_DISTRIBUTOR],
): Hex {
  const { args } = decodeFunctionData({ abi: paymentSplitFactoryAbi, data: call.data as Hex })
  const [terms, salt] = args as unknown as readonly [Split, Hex]
  const split: Split = {
    recipients: terms.recipients.map((recipient) => parseAddress(recipient) as Address),
    allocations: terms.allocations.map(Number),
    totalAllocation: Number(terms.totalAllocation as unknown as bigint), // viem decodes a uint256 to a bigint.
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

/** Formats an address for the offer's chain family. */
function written(address: Address, { tokenAddress }: Offer): string {
  return CHAIN_FAMILIES[findAddressFamily(tokenAddress) as ChainFamilyName].presentAddress(address)
}

/** Passes the feed's changes to `hear` until the stream's event arrives. */
export async function relayChanges(server: Server, hear: (change: FeedChange) => void): Promise<void> {
  const { port } = server.address() as AddressInfo
  const api = createApiClient({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'svc_live_none' })
  const closing = new AbortController()
  for await (const change of followDistributions(api, closing.signal)) {
    if (change.type === 'distribution.claimed') closing.abort()
    else hear(change)
  }
}
