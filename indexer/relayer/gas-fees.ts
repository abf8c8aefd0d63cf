import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { queryValues } from '../../shared/chain/nodes/query-values.ts'
import type { GasBounds } from '../../shared/domain/networks.ts'

/** Maximum prices per unit of gas, in wei (EIP-1559). */
export type GasFees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Fees within the bounds, and whether a transaction with these fees can be mined now. */
export type GasQuote = GasFees & { readonly isMineable: boolean }

/** Gas price as one node reports it, in wei. */
export type GasPrice = { readonly baseFee: bigint; readonly tip: bigint }

/**
 * Returns fees that, unless a bound limits them, remain sufficient until the base fee has doubled, which takes at least
 * six full blocks. Nodes do not reject a transaction whose fee is below the base fee: the transaction waits in their
 * pools until gas is cheaper.
 *
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
 * Chooses the fees from the reports of several nodes, any of which might lie. Pure.
 *
 * The tip is the lower median of the reports, limited by its bound, because the full tip is paid. The base fee is the
 * highest report, because it only limits the price, and with too low a limit the transaction would wait. `isMineable`
 * uses the lowest base fee, so that a single node cannot block all transactions.
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
 * Returns the fees of a replacement at the same nonce, or `null` if the replacement would exceed the bounds.
 *
 * Nodes require that both fees rise by at least a tenth (go-ethereum, `core/txpool/legacypool`, `PriceBump` 10). Here
 * both rise by at least an eighth, because nodes round differently. The tip may rise to twice its bound, because a tip
 * that started at its bound must rise as well.
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
