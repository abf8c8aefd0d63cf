import { type Address, formatUnits, parseUnits } from 'viem'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Pair } from '../../../shared/domain/networks.ts'
import type { DevnetChain } from '../../devnet/networks.ts'
import { TETHER_FEE } from './tether-fee.ts'

/** One way to pay on a network: a token, or the coin where that is the token as well. */
export type Way = {
  readonly pair: Pair
  readonly token: Address
  /** Of what is sent. */
  readonly decimals: number
  /** Of what the token pays out. */
  readonly tokenDecimals: number
  readonly isCoin: boolean
  /** What the token's owner takes of every transfer, in ten-thousandths; 0 of all but the first Tether. */
  readonly feeBasisPoints: bigint
}

/** Lists every way to pay on a chain, the one that most cases take first: the one that differs most from plain USDC. */
export function listWays({ network, deployed }: DevnetChain): readonly Way[] {
  const isCoinToken = REGISTRY[network].live.nativeCurrency.symbol === 'USDC'
  const ways = deployed.map(({ token, address, decimals }) => ({
    pair: { token, network },
    token: address,
    decimals,
    tokenDecimals: decimals,
    isCoin: false,
    feeBasisPoints: token === 'USDT' && network === 'ethereum' ? TETHER_FEE.basisPoints : 0n,
  }))
  const coin = ways.map((way) => ({ ...way, decimals: 18, isCoin: true }))
  return [...(isCoinToken ? coin : []), ...ways.toReversed()]
}

/** What is to be sent for so many dollars to arrive. */
export function sentFor(way: Way, dollars: string): bigint {
  const due = parseUnits(dollars, way.decimals)
  let sent = due
  while (getArrivingAmount(way, sent) < due) sent += due - getArrivingAmount(way, sent)
  return sent
}

/** What arrives of what is sent. */
export function getArrivingAmount({ feeBasisPoints }: Pick<Way, 'feeBasisPoints'>, sent: bigint): bigint {
  return sent - (sent * feeBasisPoints) / 10_000n
}

/** So much of a way, in dollars. */
export function formatDollars({ decimals }: Pick<Way, 'decimals'>, units: bigint): string {
  return formatUnits(units, decimals)
}
