import type { Network } from '../../../shared/domain/networks.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'

/**
 * Approximate price of each network's coin in November 2026, in dollars, accurate enough to distinguish cents from
 * dollars. The doctor does not query a market; operators may pass an exact price. Arc's coin is USDC.
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
 * Returns the price of a network's coin in dollars: the last price given for the network (`base=2950`), or an
 * approximation.
 *
 * @throws {CommandError} if the given price is not a positive number
 */
export function getCoinPrice(network: Network, named: readonly string[]): number {
  const text = named.findLast((one) => one.startsWith(`${network}=`))
  if (text === undefined) return ABOUT[network]
  const price = Number(text.slice(network.length + 1))
  if (Number.isFinite(price) && price > 0) return price
  throw new CommandError(
    `--coin-usd is ${JSON.stringify(text)}: must be NETWORK=DOLLARS with a positive number, such as base=2950`,
  )
}
