import { NETWORKS, type Network } from '../../../shared/domain/networks.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { parseNetworkValue } from '../../../shared/runtime/parse-network-value.ts'

/**
 * Approximate price of each network's coin in dollars, November 2026. It only needs to distinguish costs of cents from
 * costs of dollars. The doctor queries no market; operators may pass an exact price. Arc's coin is USDC.
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
 * Parses prices of coins in dollars, such as `base=2950`. The last price given for a network counts.
 *
 * @throws {CommandError} if a text does not name a network and a positive price
 */
export function parseCoinPrices(texts: readonly string[]): ReadonlyMap<Network, number> {
  return new Map(
    texts.map((text) => {
      const parsed = parseNetworkValue(text)
      const price = Number(parsed?.value)
      if (parsed !== null && Number.isFinite(price) && price > 0) return [parsed.network, price]
      throw new CommandError(
        `--coin-usd is ${JSON.stringify(text)}: must be NETWORK=DOLLARS, such as base=2950, with a positive number and one of the networks ${NETWORKS.join(', ')}`,
      )
    }),
  )
}

/** Returns the given price of a network's coin in dollars, or an approximation if none is given. */
export function getCoinPrice(network: Network, given: ReadonlyMap<Network, number>): number {
  return given.get(network) ?? ABOUT[network]
}
