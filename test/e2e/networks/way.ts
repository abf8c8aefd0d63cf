import { type Address, formatUnits, parseUnits } from 'viem'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Pair } from '../../../shared/domain/networks.ts'
import type { DevnetChain } from '../../devnet/networks.ts'
import { TETHER_FEE } from './tether-fee.ts'

/** A way to pay on a network: a token, or the native coin if the coin is also a token. */
export type Way = {
  readonly pair: Pair
  readonly token: Address
  /** Decimals of the sent amount. */
  readonly decimals: number
  /** Decimals of the amount that the token pays out. */
  readonly tokenDecimals: number
  readonly isCoin: boolean
  /** Fee per transfer for the token's owner, in basis points. 0 except for USDT on ethereum. */
  readonly feeBasisPoints: bigint
}

/** Lists every way to pay on a chain. The first way differs most from plain USDC, and most cases use only it. */
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

/** Returns the amount to send so that this number of dollars arrives. */
export function sentFor(way: Way, dollars: string): bigint {
  const due = parseUnits(dollars, way.decimals)
  let sent = due
  while (getArrivingAmount(way, sent) < due) sent += due - getArrivingAmount(way, sent)
  return sent
}

/** Returns a sent amount minus the token's fee. */
export function getArrivingAmount({ feeBasisPoints }: Pick<Way, 'feeBasisPoints'>, sent: bigint): bigint {
  return sent - (sent * feeBasisPoints) / 10_000n
}

/** Formats an amount as dollars. */
export function formatDollars({ decimals }: Pick<Way, 'decimals'>, units: bigint): string {
  return formatUnits(units, decimals)
}
