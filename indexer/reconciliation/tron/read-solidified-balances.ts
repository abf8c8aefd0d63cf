import type { ChainNode } from '../../../shared/chain/nodes/chain-nodes.ts'
import { readSolidifiedHead, readTronHead, type TronHead } from '../../../shared/chain/tron/read-tron.ts'
import { createTronNode, type TronNode, TronNodeError } from '../../../shared/chain/tron/tron-node.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { encodeAbiWord } from '../../../shared/domain/create2.ts'
import { ANY_DISTRIBUTOR } from '../../../shared/domain/distribution-call.ts'
import type { BalanceKey, ObservedBalance } from '../compare-balances.ts'
import type { ReadNodeBalances } from '../node-balances.ts'

const REQUEST_TIMEOUT_MS = 5_000
/** Maximum concurrent requests. The reading must be fast, because a TRON block comes every three seconds. */
const AT_ONCE = 20
const NOBODY_ON_TRON = formatTronAddress(ANY_DISTRIBUTOR)

/**
 * Creates the balance reader of a TRON node. A TRON node serves the state of only two blocks: its newest block, and its
 * newest solidified block.
 *
 * A batch of balances counts if the node shows the same block before and after the batch (decisions 3.4). If the node
 * advances to another block during a batch, that batch is returned as `moved`, in which only an excess counts, and the
 * remaining balances are not read.
 */
export function createSolidifiedBalanceReader({
  url,
  client,
  pacing,
}: Pick<ChainNode, 'url' | 'client' | 'pacing'>): ReadNodeBalances {
  const node = createTronNode({ url, chainId: client.chain.id, timeoutMs: REQUEST_TIMEOUT_MS, pacing })
  return async ({ balances, isStanding }) => {
    const [api, readHead] = isStanding
      ? (['wallet', readTronHead] as const)
      : (['walletsolidity', readSolidifiedHead] as const)
    const head = await readHead(node)
    const found: ObservedBalance[] = []
    for (let from = 0; from < balances.length; from += AT_ONCE) {
      const some = balances.slice(from, from + AT_ONCE)
      const amounts = await Promise.all(some.map((balance) => readBalance(node, { api, balance })))
      const told = some.flatMap((balance, at) => {
        const foundAtomic = amounts[at] ?? null
        return foundAtomic === null ? [] : [{ ...balance, foundAtomic }]
      })
      const next = await readHead(node)
      if (next.id !== head.id)
        return { block: markOf(head), found, moved: { block: markOf(next), found: told } }
      found.push(...told)
    }
    return { block: markOf(head), found }
  }
}

function markOf({ number, timestampMs }: TronHead) {
  return { number, timestamp: Math.floor(timestampMs / 1000) }
}

/** Returns the balance, or `null` if the call to the token fails or returns no amount. */
async function readBalance(
  node: TronNode,
  { api, balance }: { readonly api: 'wallet' | 'walletsolidity'; readonly balance: BalanceKey },
): Promise<bigint | null> {
  const answer = await node.ask(`${api}/triggerconstantcontract`, {
    owner_address: NOBODY_ON_TRON,
    contract_address: formatTronAddress(balance.tokenAddress),
    function_selector: 'balanceOf(address)',
    parameter: encodeAbiWord(balance.account),
    visible: true,
  })
  const { constant_result: results, result } = answer
  const { result: isAnswered, message } = Object(result) as { result?: unknown; message?: unknown }
  if (isAnswered !== true) throw new TronNodeError(node, 'returned no call result')
  const [amount] = Array.isArray(results) ? results : []
  // A node adds a message to the result only if the call failed.
  if (message !== undefined || typeof amount !== 'string' || !/^[0-9a-f]{64}/.test(amount)) return null
  return BigInt(`0x${amount.slice(0, 64)}`)
}
