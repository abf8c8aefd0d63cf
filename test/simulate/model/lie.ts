import { keccak256, stringToHex } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import type { Block } from './chain.ts'
import { MISDATED_SECONDS, tellBlock } from './tell-block.ts'

/** What one node can lie about. */
export const LIE_KINDS = [
  /** A payment of a charge, within a real transaction. */
  'adds payments',
  /** A payment of a charge, by a transaction that does not exist. */
  'invents payments',
  /** A distribution by a split, within a real transaction or by an invented one. */
  'adds distributions',
  'shrinks amounts',
  'enlarges amounts',
  'changes senders',
  /** Blocks dated past every deadline. */
  'dates ahead',
  'dates back',
  /** Other hashes for blocks that every other node has. */
  'forks',
  /** Blocks on top of the chain, enough to bury a payment. */
  'invents blocks',
  /** A head far above the chain, without the blocks below it. */
  'claims height',
  'hides balances',
  /** Every simulation reverts. */
  'reverts calls',
  /** A reverted transaction has succeeded. */
  'hides reverts',
] as const

export type LieKind = (typeof LIE_KINDS)[number]

/** A charge that a node lies about. */
export type Target = {
  readonly address: Address
  readonly splitAddress: Address
  readonly amountMicro: bigint
}

/** What one node claims instead of the truth, to the feed and to every other caller alike. */
export type Lie = {
  readonly kinds: readonly LieKind[]
  /** Returns the chain that ends in this block as the node shows it; the same block for the same one. */
  readonly show: (head: Block) => Block
}

export type LieTerms = {
  readonly kinds: readonly LieKind[]
  /** The first block that the node lies about. */
  readonly fromNumber: number
  /** Lists the charges created so far; a block shown before a charge was created never names the charge. */
  readonly listTargets: () => readonly Target[]
  readonly tokens: readonly { readonly address: Address; readonly decimals: number }[]
}

/** Blocks that a node invents above the chain's last one: more than the confirmation depth. */
const INVENTED_BLOCKS = 5
/** Creates the lie of one node. */
export function createLie(terms: LieTerms): Lie {
  const { kinds, fromNumber } = terms
  const shown = new WeakMap<Block, Block>()
  const tops = new WeakMap<Block, Block>()
  return { kinds, show }

  function show(head: Block): Block {
    const block = showBlock(head)
    if (!kinds.includes('invents blocks')) return block
    const top = tops.get(head) ?? inventBlocks(block, terms)
    tops.set(head, top)
    return top
  }

  function showBlock(block: Block): Block {
    if (block.number < fromNumber) return block
    const known = shown.get(block)
    if (known !== undefined) return known
    const parent = block.parent === null ? null : showBlock(block.parent)
    const told = tellBlock({ ...block, parent }, terms)
    shown.set(block, told)
    return told
  }
}

function inventBlocks(head: Block, terms: LieTerms): Block {
  let top = head
  for (let index = 1; index <= INVENTED_BLOCKS; index += 1)
    top = tellBlock(
      {
        ...{ number: top.number + 1, parent: top, timestamp: top.timestamp + MISDATED_SECONDS },
        ...{ hash: keccak256(stringToHex(`above ${head.hash} ${index}`)), receipts: [], state: head.state },
      },
      terms,
    )
  return top
}
