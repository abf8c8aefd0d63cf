import type { ChainClient } from '../../shared/chain/client.ts'

/** What a transaction pays for each unit of gas, in wei (EIP-1559). */
export type GasFees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/**
 * Answers fees that stay good while the base fee doubles, which takes at least six full blocks; never above `ceiling`.
 *
 * Above the ceiling a transaction is not refused but waits in the nodes' pools until gas is cheaper: a price spike
 * is no failed attempt.
 *
 * @param ceiling - wei per gas
 * @throws {BaseError} viem's, if no node answers
 * @see https://eips.ethereum.org/EIPS/eip-1559
 */
export async function quoteFees(client: ChainClient, ceiling: bigint): Promise<GasFees> {
  const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()])
  return capFees({ maxFeePerGas: 2n * (block.baseFeePerGas ?? 0n) + tip, maxPriorityFeePerGas: tip }, ceiling)
}

/**
 * Answers the fees of a replacement at the same nonce, or `null` if the ceiling leaves no room for one.
 *
 * Nodes want a tenth more on both fees (go-ethereum, `core/txpool/legacypool`, `PriceBump` 10); an eighth leaves room
 * for nodes that round otherwise.
 */
export function bumpFees(paid: GasFees, quote: GasFees, ceiling: bigint): GasFees | null {
  const maxFeePerGas = larger(addEighth(paid.maxFeePerGas), quote.maxFeePerGas)
  const maxPriorityFeePerGas = larger(addEighth(paid.maxPriorityFeePerGas), quote.maxPriorityFeePerGas)
  if (maxFeePerGas > ceiling || maxPriorityFeePerGas > maxFeePerGas) return null
  return { maxFeePerGas, maxPriorityFeePerGas }
}

function capFees(fees: GasFees, ceiling: bigint): GasFees {
  const maxFeePerGas = smaller(fees.maxFeePerGas, ceiling)
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(fees.maxPriorityFeePerGas, maxFeePerGas) }
}

function addEighth(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
