import { parseAbi } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { Db } from '../../shared/db/connect.ts'
import { listExpectedBalances, type ReconciledCharge } from '../../shared/db/reconciliations.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { WatchedToken } from './observe.ts'

/** A split that holds something else than our rows say. */
export type BalanceDifference = {
  readonly charge: ReconciledCharge
  readonly tokenAddress: Address
  readonly expectedAtomic: bigint
  readonly foundAtomic: bigint
}

/** At this address on every EVM network of ours. @see https://www.multicall3.com/deployments */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

const BALANCE_OF = parseAbi(['function balanceOf(address account) view returns (uint256)'])

/**
 * Compares what splits hold at a block with what our rows say, in one request for all of them.
 *
 * Escrow charges are left to the logs: their money may be in either of two contracts. A token that does not answer is
 * passed over.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function compareBalances(
  deps: { readonly client: ChainClient; readonly db: Db; readonly tokens: readonly WatchedToken[] },
  { charges, block }: { readonly charges: readonly ReconciledCharge[]; readonly block: number },
): Promise<readonly BalanceDifference[]> {
  const chainId = deps.client.chain.id
  const plain = charges.filter(({ isEscrow }) => !isEscrow)
  const places = plain.flatMap((charge) =>
    deps.tokens.map(({ address }) => ({ charge, tokenAddress: address })),
  )
  if (places.length === 0) return []
  const found = await deps.client.multicall({
    contracts: places.map(({ charge, tokenAddress }) => ({
      address: tokenAddress,
      abi: BALANCE_OF,
      functionName: 'balanceOf',
      args: [charge.splitAddress],
    })),
    multicallAddress: MULTICALL3,
    blockNumber: BigInt(block),
    batchSize: 0, // One request, whatever its size: the caller bounds the charges.
  })
  const chargeIds = plain.map(({ id }) => id)
  const expected = new Map(
    (await listExpectedBalances(deps.db, { chainId, block, chargeIds })).map((row) => [
      `${row.chargeId}/${row.tokenAddress}`,
      row.balanceAtomic,
    ]),
  )
  return places.flatMap(({ charge, tokenAddress }, index) => {
    const answer = found[index]
    const expectedAtomic: bigint = expected.get(`${charge.id}/${tokenAddress}`) ?? 0n
    if (answer?.status !== 'success' || typeof answer.result !== 'bigint') return []
    const foundAtomic = answer.result
    return foundAtomic === expectedAtomic ? [] : [{ charge, tokenAddress, expectedAtomic, foundAtomic }]
  })
}
