import { BaseError, parseAbiItem } from 'viem'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { findLastBlockBefore } from '../../../shared/chain/nodes/find-last-block-before.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { ExitCharge } from './exit-charge.ts'

/** The amount of a token that a split has distributed so far, incentives included. */
export type Distributed = {
  readonly splitAddress: Address
  readonly token: Address
  /** In atomic units. */
  readonly amount: bigint
}

const SPLIT_DISTRIBUTED = parseAbiItem(
  'event SplitDistributed(address indexed token, address indexed distributor, uint256 amount)',
)

/** Addresses per log query. TRON nodes allow 1,000, other nodes fewer. */
const ADDRESSES_PER_QUERY = 100

/**
 * A failed query of more blocks than this is repeated with half the range, because nodes limit ranges differently.
 */
const MIN_RANGE = 500n

/** Maximum log queries per chain. They take about a minute. */
const MAX_QUERIES = 300

/**
 * Sums the distributions in the logs of the charges' splits since the oldest charge was created.
 *
 * @returns one sum per split and token; `null` if more than 300 queries would be needed
 * @throws {BaseError} from viem if no node responds, or the nodes reject a range of 500 blocks or fewer
 */
export async function readDistributed(
  client: ChainClient,
  charges: readonly ExitCharge[],
): Promise<readonly Distributed[] | null> {
  const [first] = charges
  if (first === undefined) return []
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const oldest = charges.reduce((time, { createdAt }) => Math.min(time, createdAt), first.createdAt)
  const fromBlock = await findLastBlockBefore(client, { moment: oldest, below: head })
  const sums = new Map<string, Distributed>()
  const budget = { queries: MAX_QUERIES }
  for (let from = 0; from < charges.length; from += ADDRESSES_PER_QUERY) {
    const addresses = charges.slice(from, from + ADDRESSES_PER_QUERY).map(({ splitAddress }) => splitAddress)
    const logs = await readLogs(client, { addresses, fromBlock, toBlock: head, budget })
    if (logs === null) return null
    for (const { splitAddress, token, amount } of logs) {
      const key = `${splitAddress} ${token}`
      sums.set(key, { splitAddress, token, amount: (sums.get(key)?.amount ?? 0n) + amount })
    }
  }
  return [...sums.values()]
}

type Range = {
  readonly addresses: readonly Address[]
  readonly fromBlock: bigint
  readonly toBlock: bigint
  readonly budget: { queries: number }
}

async function readLogs(client: ChainClient, range: Range): Promise<readonly Distributed[] | null> {
  const found: Distributed[] = []
  let size = range.toBlock - range.fromBlock + 1n
  for (let from = range.fromBlock; from <= range.toBlock; ) {
    if (range.budget.queries <= 0) return null
    range.budget.queries -= 1
    const last = from + size - 1n
    const logs = await tryQuery(client, {
      ...{ addresses: range.addresses, fromBlock: from },
      toBlock: last < range.toBlock ? last : range.toBlock,
      isLastTry: size <= MIN_RANGE,
    })
    if (logs === null) size = size / 2n
    else {
      found.push(...logs)
      from += size
    }
  }
  return found
}

/** Returns `null` if the query fails and its range can still be halved. */
async function tryQuery(
  client: ChainClient,
  query: Omit<Range, 'budget'> & { readonly isLastTry: boolean },
): Promise<readonly Distributed[] | null> {
  const { addresses, fromBlock, toBlock, isLastTry } = query
  try {
    const logs = await client.getLogs({
      ...{ address: [...addresses], event: SPLIT_DISTRIBUTED, strict: true },
      ...{ fromBlock, toBlock },
    })
    return logs.map(({ address, args }) => ({
      splitAddress: address.toLowerCase() as Address,
      token: args.token.toLowerCase() as Address,
      amount: args.amount,
    }))
  } catch (error) {
    if (isLastTry || !(error instanceof BaseError)) throw error
    return null
  }
}
