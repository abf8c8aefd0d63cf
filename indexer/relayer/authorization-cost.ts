import { concatHex, keccak256, numberToHex } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { authorizationCall } from '../../shared/domain/eip3009/authorization.ts'
import { AUTHORIZATION_GAS } from '../../shared/domain/eip3009/plan-authorization.ts'
import { type CostBounds, readCallCost, sampleAddress, type TypicalCall } from './payout-cost.ts'

/**
 * Returns the current maximum cost of a payment by signature, in wei: gas at the current price and, on chains that
 * charge for it, the posting of the call's bytes to the parent chain. Our bounds limit the result.
 *
 * @throws {NoQuorumError} if no node responds
 */
export async function readAuthorizationCost(nodes: ChainNodes, terms: CostBounds): Promise<bigint> {
  return readCallCost(nodes, { ...terms, call: TYPICAL_AUTHORIZATION })
}

/** Returns 32 pseudorandom bytes, because the posting fee depends on how well the bytes compress. */
function wordOf(index: number): Hex {
  return keccak256(numberToHex(index))
}

const TYPICAL_AUTHORIZATION: TypicalCall = {
  ...authorizationCall(sampleAddress(0), {
    ...{
      from: sampleAddress(1),
      to: sampleAddress(2),
      value: 10_000_000n,
      validAfter: 0n,
      validBefore: 1_800_000_000n,
    },
    ...{ nonce: wordOf(3), signature: concatHex([wordOf(4), wordOf(5), '0x1b']) },
  }),
  gas: BigInt(AUTHORIZATION_GAS),
}
