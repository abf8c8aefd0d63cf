import type { ChainClient } from '../../shared/chain/client.ts'
import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryValues } from '../../shared/chain/nodes/query-values.ts'
import type { GasBounds } from '../../shared/domain/networks.ts'

/** What a transaction pays for each unit of gas, in wei (EIP-1559). */
export type GasFees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Fees within the bounds, and whether they are enough for a transaction to be mined now. */
export type GasQuote = GasFees & { readonly isMineable: boolean }

/** What one node says of the price of gas, in wei. */
export type GasPrice = { readonly baseFee: bigint; readonly tip: bigint }

/**
 * Answers fees that stay good while the base fee doubles, which takes at least six full blocks; never above the bounds.
 *
 * Above the ceiling a transaction is not refused but waits in the nodes' pools until gas is cheaper: a price spike
 * is no failed attempt.
 *
 * @param nodes - of one chain; silent nodes are left out
 * @throws {NoQuorumError} if no node responds
 * @see https://eips.ethereum.org/EIPS/eip-1559
 */
export async function quoteFees(nodes: ChainNodes, bounds: GasBounds): Promise<GasQuote> {
  const read = ({ client }: ChainNode) => readPrice(client)
  return chooseFees(await queryValues(nodes, { subject: 'the price of gas', read }), bounds)
}

async function readPrice(client: ChainClient): Promise<GasPrice> {
  const [block, tip] = await Promise.all([client.getBlock(), client.estimateMaxPriorityFeePerGas()])
  return { baseFee: block.baseFeePerGas ?? 0n, tip }
}

/**
 * Chooses the fees by what several nodes say, any of which may lie. Pure.
 *
 * The tip is the median, of two the lower one, and cut at its bound: it is paid as it is offered. The base fee is the
 * highest, which only bounds what the protocol takes; too low a one would leave the transaction waiting. Whether it
 * can be mined goes by the lowest, so that one node cannot say that nothing ever can.
 *
 * @param prices - not empty
 */
export function chooseFees(prices: readonly GasPrice[], bounds: GasBounds): GasQuote {
  const tips = prices.map(({ tip }) => tip).toSorted(ascending)
  const baseFees = prices.map(({ baseFee }) => baseFee).toSorted(ascending)
  const suggested = tips[Math.floor((tips.length - 1) / 2)] ?? 0n
  const tip = smaller(suggested, bounds.maxTipPerGasWei)
  const maxFeePerGas = smaller(2n * (baseFees.at(-1) ?? 0n) + tip, bounds.maxFeePerGasWei)
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: smaller(tip, maxFeePerGas),
    isMineable: (baseFees[0] ?? 0n) <= bounds.maxFeePerGasWei,
  }
}

/**
 * Answers the fees of a replacement at the same nonce, or `null` if the bounds leave no room for one.
 *
 * Nodes want a tenth more on both fees (go-ethereum, `core/txpool/legacypool`, `PriceBump` 10); an eighth leaves room
 * for nodes that round otherwise. A tip that began at its bound must be raised with the rest: to twice that at most.
 */
export function bumpFees(paid: GasFees, quote: GasFees, bounds: GasBounds): GasFees | null {
  const maxFeePerGas = larger(addEighth(paid.maxFeePerGas), quote.maxFeePerGas)
  const maxPriorityFeePerGas = larger(addEighth(paid.maxPriorityFeePerGas), quote.maxPriorityFeePerGas)
  const hasRoom =
    maxFeePerGas <= bounds.maxFeePerGasWei && maxPriorityFeePerGas <= 2n * bounds.maxTipPerGasWei
  return hasRoom && maxPriorityFeePerGas <= maxFeePerGas ? { maxFeePerGas, maxPriorityFeePerGas } : null
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

function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0
}
