import type { Hex } from '../../../shared/domain/address.ts'
import { type Block, blocksFrom, type ModelLog, type Receipt } from './chain.ts'
import type { LieKind } from './lie-kinds.ts'
import type { ModelNode } from './model-node.ts'
import { presentLog, presentReceipt } from './present.ts'

type Shower = Pick<ModelNode, 'mode' | 'url'>

/** Returns the last block that a node shows: its head, or the lie's version of the head. */
export function shownHead({ head, lie }: Pick<ModelNode, 'head' | 'lie'>): Block {
  return lie === null ? head : lie.show(head)
}

export function tells({ lie }: Pick<ModelNode, 'lie'>, kind: LieKind): boolean {
  return lie?.kinds.includes(kind) === true
}

/**
 * Returns the logs of a transaction that a node shows. In the modes `partial` and `gappy`, node 0 omits exactly the
 * logs that the other nodes show.
 */
export function shownLogs(node: Shower, { transaction: { hash }, logs }: Receipt): readonly ModelLog[] {
  if (isLeftOut(node, hash)) return []
  return node.mode === 'gappy' ? logs.filter((_, at) => !isOthers(node, hash, at)) : logs
}

export function isLeftOut(node: Shower, hash: Hex): boolean {
  return node.mode === 'partial' ? isOthers(node, hash, 0) : node.mode === 'omitting'
}

/**
 * Whether only the other nodes show a log: node 0 omits it if a digit of the hash is odd, and all others if the digit
 * is even. The digits are used again, because a transaction can have more logs than its hash has digits.
 */
function isOthers({ url }: Shower, hash: Hex, at: number): boolean {
  const isOdd = Number.parseInt(hash.at(-1 - (at % 64)) ?? '', 16) % 2 === 1
  return isOdd === url.includes('node-0')
}

/** The filter of `eth_getLogs`. */
export type Filter = {
  readonly fromBlock: Hex
  readonly toBlock: Hex | 'latest'
  readonly address?: Hex | readonly Hex[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

/** Lists the logs that a node shows in a range of blocks. */
export function listLogs(
  node: ModelNode,
  { fromBlock, toBlock, address, topics = [] }: Filter,
): readonly object[] {
  const head = shownHead(node)
  const last = toBlock === 'latest' ? head.number : Number(toBlock)
  if (last > head.number) return []
  const addresses = address === undefined ? null : [address].flat().map((one) => one.toLowerCase())
  return blocksFrom(head, Number(fromBlock))
    .filter(({ number }) => number <= last)
    .flatMap((block) =>
      block.receipts.flatMap((receipt) =>
        shownLogs(node, receipt)
          .filter((log) => addresses === null || addresses.includes(log.address))
          .filter((log) => topics.every((wanted, at) => isWanted(log.topics[at], wanted)))
          .map((log) => presentLog(log, { block, hash: receipt.transaction.hash })),
      ),
    )
}

function isWanted(topic: Hex | undefined, wanted: Hex | readonly Hex[] | null): boolean {
  return wanted === null || [wanted].flat().some((one) => one === topic)
}

/** Returns a transaction's receipt as a node shows it; `null` if the node shows none. */
export function findReceiptOf(node: ModelNode, hash: Hex): object | null {
  if (isLeftOut(node, hash)) return null
  for (let block: Block | null = shownHead(node); block !== null; block = block.parent) {
    const receipt = block.receipts.find(({ transaction }) => transaction.hash === hash)
    if (receipt !== undefined) return presentReceipt({ ...receipt, logs: shownLogs(node, receipt) }, block)
  }
  return null
}
