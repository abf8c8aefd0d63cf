import type { ChainClient } from './client.ts'

/**
 * Returns the number of the last block before a given time; 0 if there is no such block.
 *
 * The result can no longer change once the block after it is final. The search goes backwards with doubling
 * steps and then bisects, so that finding a block of an hour ago costs about twenty requests.
 *
 * @param query.moment - the given time, in Unix seconds
 * @param query.below - number of the block from which the search starts; its time must not be before `moment`
 * @throws {BaseError} from viem if no node responds
 */
export async function findLastBlockBefore(
  client: ChainClient,
  { moment, below }: { readonly moment: number; readonly below: bigint },
): Promise<bigint> {
  const isBefore = async (blockNumber: bigint) =>
    Number((await client.getBlock({ blockNumber })).timestamp) < moment
  let after = below
  let before = subtract(after, 1n)
  for (let step = 2n; before > 0n && !(await isBefore(before)); step *= 2n) {
    after = before
    before = subtract(after, step)
  }
  while (after - before > 1n) {
    const middle = (before + after) / 2n
    if (await isBefore(middle)) before = middle
    else after = middle
  }
  return before
}

function subtract(block: bigint, step: bigint): bigint {
  return block > step ? block - step : 0n
}
