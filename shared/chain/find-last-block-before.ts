import type { ChainClient } from './client.ts'

/**
 * Finds the last block of a chain before a moment, from one that is not before it; block 0 if there is none.
 *
 * The answer is one block for ever once that one is deep. Steps down twice as far each time and then halves what is between,
 * so that a block of an hour ago costs some twenty requests.
 *
 * @param query.moment - Unix seconds
 * @param query.below - a block of this moment or later
 * @throws {BaseError} viem's, if no node answers
 */
export async function findLastBlockBefore(
  client: ChainClient,
  { moment, below }: { readonly moment: number; readonly below: bigint },
): Promise<bigint> {
  const isBefore = async (blockNumber: bigint) =>
    Number((await client.getBlock({ blockNumber })).timestamp) < moment
  let after = below
  let before = lower(after, 1n)
  for (let step = 2n; before > 0n && !(await isBefore(before)); step *= 2n) {
    after = before
    before = lower(after, step)
  }
  while (after - before > 1n) {
    const middle = (before + after) / 2n
    if (await isBefore(middle)) before = middle
    else after = middle
  }
  return before
}

function lower(block: bigint, step: bigint): bigint {
  return block > step ? block - step : 0n
}
