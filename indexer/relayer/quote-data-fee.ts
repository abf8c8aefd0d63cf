import type { DataFee, PostedCall } from '../../shared/chain/data-fee/data-fee.ts'
import { NO_DATA_FEE, readDataFee } from '../../shared/chain/data-fee/read-data-fee.ts'
import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryValues } from '../../shared/chain/nodes/query-values.ts'
import { withGasMargin } from '../../shared/chain/nodes/simulate.ts'
import type { DataFeeTerms } from '../../shared/domain/networks.ts'
import { lowerMedian } from './lower-median.ts'

/** Cost of posting a call, limited to our bound, and whether the actual cost is within the bound. */
export type DataFeeQuote = DataFee & { readonly isWithinBound: boolean }

/** Our bound on the posting cost, and the maximum price per unit of gas, in wei. */
export type DataFeeBound = Pick<DataFeeTerms, 'maxWei'> & { readonly pricePerGasWei: bigint }

/**
 * Queries each node for the cost of posting a call to the parent chain.
 *
 * @throws {NoQuorumError} if no node responds
 */
export async function quoteDataFee(
  nodes: ChainNodes,
  {
    terms,
    call,
    pricePerGasWei,
  }: { readonly terms: DataFeeTerms; readonly call: PostedCall; readonly pricePerGasWei: bigint },
): Promise<DataFeeQuote> {
  if (terms.model === 'none') return { ...NO_DATA_FEE, isWithinBound: true }
  const { model, maxWei } = terms
  const read = ({ client }: ChainNode) => readDataFee(client, model, call)
  const fees = await queryValues(nodes, { subject: 'the cost of posting data', read })
  return chooseDataFee(fees, { maxWei, pricePerGasWei })
}

/**
 * Chooses the fee from the reports of several nodes, any of which might lie. Pure.
 *
 * The fee is the lower median, so that a single node cannot block a call that other nodes report as cheap. A node gains
 * nothing from reporting too low a fee, because the protocol charges the fee that it calculates itself.
 *
 * @param fees - not empty
 */
export function chooseDataFee(
  fees: readonly DataFee[],
  { maxWei, pricePerGasWei }: DataFeeBound,
): DataFeeQuote {
  const { gas } = lowerMedian(fees, (fee) => fee.gas)
  const { besideWei } = lowerMedian(fees, (fee) => fee.besideWei)
  const isWithinBound = besideWei + gas * pricePerGasWei <= maxWei
  if (isWithinBound) return { gas, besideWei, isWithinBound }
  const mostGas = pricePerGasWei === 0n ? 0n : maxWei / pricePerGasWei
  const boundedGas = gas < mostGas ? gas : mostGas
  const leftWei = maxWei - boundedGas * pricePerGasWei
  return { gas: boundedGas, besideWei: besideWei < leftWei ? besideWei : leftWei, isWithinBound }
}

/** Returns the gas limit of a call: the maximum gas for execution, plus the gas for posting with a margin. */
export function getGasLimit(maxGas: bigint, { gas }: DataFee): bigint {
  return maxGas + withGasMargin(gas)
}
