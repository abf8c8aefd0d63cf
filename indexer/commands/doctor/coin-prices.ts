import type { Network } from '../../../shared/domain/networks.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'

/**
 * What a network's coin cost about in November 2026, in dollars: enough to tell cents from dollars. Nothing asks a market;
 * whoever means it names the price. Arc's coin is a dollar.
 */
const ABOUT: Readonly<Record<Network, number>> = {
  base: 3000,
  optimism: 3000,
  polygon: 0.2,
  ethereum: 3000,
  arbitrum: 3000,
  avalanche: 20,
  bnb: 900,
  tron: 0.3,
  arc: 1,
}

/**
 * Answers a network's coin in dollars: as it was named, `base=2950`, or about.
 *
 * @throws {CommandError} for a price that is none
 */
export function coinPriceOf(network: Network, named: readonly string[]): number {
  const text = named.findLast((one) => one.startsWith(`${network}=`))
  if (text === undefined) return ABOUT[network]
  const price = Number(text.slice(network.length + 1))
  if (Number.isFinite(price) && price > 0) return price
  throw new CommandError(`--coin-usd is ${JSON.stringify(text)}: must be NETWORK=DOLLARS, such as base=2950`)
}
