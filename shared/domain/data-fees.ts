import type { DataFeeTerms, Network } from './networks.ts'

const NONE: DataFeeTerms = { model: 'none', maxWei: 0n }

/**
 * How each network charges for posting a transaction to its parent chain, and the maximum that we pay for one
 * transaction.
 *
 * On the OP stack, no signed field limits this fee. The chain deducts it from our balance in addition to the gas, based
 * on Ethereum's blob and gas prices. A transaction is therefore not signed while the fee is above the maximum. The
 * maximum is our own estimate of November 2026. A payout to seven recipients posts 900 bytes. That costs about
 * 0.00000002 ether while blobs are cheap, and 0.0004 ether without blobs at a gas price of 30 gwei on Ethereum. The
 * most expensive hours of 2021 to 2024 cost three times the latter. Sources: docs.optimism.io, "Transaction fees";
 * docs.arbitrum.io, "How to estimate gas".
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
