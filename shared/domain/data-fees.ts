import type { DataFeeTerms, Network } from './networks.ts'

const NONE: DataFeeTerms = { model: 'none', maxWei: 0n }

/**
 * How each network charges for posting a transaction to the chain below it, and the most that we pay for one.
 *
 * Nothing that we sign bounds it on the OP stack: the chain takes it from our balance beside the gas, by the price of
 * Ethereum's blobs and gas. So a transaction waits, unsigned, while it is above the maximum, as it waits for cheaper gas.
 * The judgement is ours, of November 2026: a payout to seven recipients posts 900 bytes, some 0.00000002 ether while
 * blobs are cheap, and 0.0004 at 30 gwei of Ethereum's gas without blobs; the dearest hours of 2021 to 2024 were at three
 * times that. Sources: docs.optimism.io, "Transaction fees"; docs.arbitrum.io, "How to estimate gas".
 */
export const DATA_FEES: Readonly<Record<Network, DataFeeTerms>> = {
  base: { model: 'op-stack', maxWei: 10n ** 15n },
  optimism: { model: 'op-stack', maxWei: 10n ** 15n },
  polygon: NONE,
  ethereum: NONE,
  arbitrum: { model: 'arbitrum', maxWei: 10n ** 15n },
  avalanche: NONE,
  bnb: NONE,
  tron: NONE,
  arc: NONE,
}
