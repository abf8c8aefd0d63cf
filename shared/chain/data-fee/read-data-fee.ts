import type { DataFeeModel } from '../../domain/networks.ts'
import type { ChainClient } from '../client.ts'
import { readArbitrumDataFee } from './arbitrum.ts'
import type { DataFee, PostedCall } from './data-fee.ts'
import { readOpStackDataFee } from './op-stack.ts'

/** That of a chain that posts nothing. */
export const NO_DATA_FEE: DataFee = { gas: 0n, besideWei: 0n }

type Read = (client: ChainClient, call: PostedCall) => Promise<DataFee>

/** One for each model. */
const READS: Readonly<Record<DataFeeModel, Read>> = {
  none: () => Promise.resolve(NO_DATA_FEE),
  'op-stack': readOpStackDataFee,
  arbitrum: readArbitrumDataFee,
}

/**
 * Answers what posting a call costs now, by the word of the client's nodes.
 *
 * Where the contract that says so is not there, nobody charges: a local chain in an L2's place.
 *
 * @throws {BaseError} viem's, if no node answers, or one answers no number
 */
export function readDataFee(client: ChainClient, model: DataFeeModel, call: PostedCall): Promise<DataFee> {
  return READS[model](client, call)
}
