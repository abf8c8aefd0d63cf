import { parseAbi } from 'viem'
import type { ChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { isChainError } from '../../../shared/chain/nodes/fallback-transport.ts'
import { queryQuorum } from '../../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../../shared/chain/nodes/quorum.ts'
import { type Address, parseEvmAddress } from '../../../shared/domain/address.ts'
import type { Settlers } from './find-settler-problem.ts'

/** Reads the valid settlers of a chain. Throws if no quorum of nodes reports them, or if 0x has paused them. */
export type ReadSettlers = (chain: ChainNodes) => Promise<Settlers>

/**
 * 0x's registry, at the same address on every chain.
 *
 * @see https://github.com/0xProject/0x-settler, "How do I find the most recent deployment?"
 */
const REGISTRY = '0x00000000000004533fe15556b1e086bb1a72ceae'

const REGISTRY_ABI = parseAbi([
  'function ownerOf(uint256 feature) view returns (address)',
  'function prev(uint128 feature) view returns (address)',
])

/** The registry's feature number for settlers of transactions that the taker sends. */
const TAKER_SUBMITTED = 2n

const CACHED_MS = 60_000

/**
 * Creates the reader of 0x's registry through our own nodes. Results are cached for a minute; failures are not cached.
 *
 * The previous settler is also valid, because 0x's API still returns it while 0x introduces a new settler. While 0x has
 * paused its settlers, `ownerOf` reverts, and neither settler is valid.
 *
 * @param nowMs - clock for the expiry of cached results
 */
export function createReadSettlers(nowMs: () => number = Date.now): ReadSettlers {
  const kept = new Map<number, { readonly settlers: Promise<Settlers>; readonly untilMs: number }>()
  return (chain) => {
    const { chainId } = chain
    const known = kept.get(chainId)
    if (known !== undefined && nowMs() < known.untilMs) return known.settlers
    const settlers = querySettlers(chain)
    const entry = { settlers, untilMs: nowMs() + CACHED_MS }
    kept.set(chainId, entry)
    settlers.catch(() => {
      if (kept.get(chainId) === entry) kept.delete(chainId)
    })
    return settlers
  }
}

async function querySettlers(chain: ChainNodes): Promise<Settlers> {
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => readSettlers(client),
    toText: ({ current, previous }) => `${current}/${previous}`,
  })
  return requireAgreed(verdict, 'the settlers of 0x').value
}

async function readSettlers(client: ChainClient): Promise<Settlers> {
  const [current, previous] = await Promise.all([
    client.readContract({
      ...{ address: REGISTRY, abi: REGISTRY_ABI },
      ...{ functionName: 'ownerOf', args: [TAKER_SUBMITTED] },
    }),
    readPrevious(client),
  ])
  const parsed = parseEvmAddress(current)
  if (parsed === null || isZero(parsed)) throw new Error('the registry of 0x contains no settler')
  return { current: parsed, previous: previous === null || isZero(previous) ? null : previous }
}

/** Returns `null` if the registry reverts, because the current settler is the chain's first. */
async function readPrevious(client: ChainClient): Promise<Address | null> {
  try {
    const previous = await client.readContract({
      ...{ address: REGISTRY, abi: REGISTRY_ABI },
      ...{ functionName: 'prev', args: [TAKER_SUBMITTED] },
    })
    return parseEvmAddress(previous)
  } catch (error) {
    if (isRevert(error)) return null
    throw error
  }
}

function isRevert(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isChainError(cause)) return true
  return false
}

function isZero(address: Address): boolean {
  return /^0x0{40}$/.test(address)
}
